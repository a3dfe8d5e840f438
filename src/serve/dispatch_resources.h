#pragma once
// DispatchResources: what runs hold while they go on, as config.pbtxt's rate_limiter names it.
// There is as much of each as the neediest model asks for, so that every model can run alone.
// Threads: guarded by the dispatcher's lock.

#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "base/check.h"
#include "model/model_config.h"

namespace braid {

class DispatchResources {
 public:
  /// A model with these needs may come.
  void provide(std::span<const RunResource> needs) {
    for (const RunResource& each : needs) {
      Stock& stock = stocks_[each.name];
      stock.total = std::max(stock.total, each.count);
    }
  }

  bool have(std::span<const RunResource> needs) const {
    return std::ranges::all_of(needs, [this](const RunResource& each) {
      const Stock& stock = stocks_.at(each.name);
      return stock.taken + each.count <= stock.total;
    });
  }

  void take(std::span<const RunResource> needs) {
    for (const RunResource& each : needs) {
      stocks_.at(each.name).taken += each.count;
    }
  }

  void give_back(std::span<const RunResource> needs) {
    for (const RunResource& each : needs) {
      BRAID_CHECK(stocks_.at(each.name).taken >= each.count);
      stocks_.at(each.name).taken -= each.count;
    }
  }

 private:
  struct Stock {
    std::size_t total = 0;
    std::size_t taken = 0;
  };
  std::map<std::string, Stock> stocks_;
};

}  // namespace braid

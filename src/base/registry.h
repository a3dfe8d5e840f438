#pragma once
// Registry<T>: the plug-ins of one kind by name. An ordinary object that main fills and passes on.
// T::Setup is what a factory of that kind is given: settings of a preprocessor, weights of an
// operator. Threads: filled by one before the others start; constant, so safe to share, afterwards.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace braid {

/// The Setup of a plug-in that needs none.
struct NoSetup {};

template <typename T>
class Registry {
 public:
  using Setup = typename T::Setup;
  using Factory = std::function<Result<std::unique_ptr<T>>(const Setup&)>;

  /// `kind` is what messages call a plug-in: "fusion operator".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// The names are ours, so one that is already taken is a broken promise.
  void add(std::string name, Factory factory) {
    const bool added = factories_.try_emplace(std::move(name), std::move(factory)).second;
    BRAID_CHECK(added);
  }

  /// kNotFound says what there is instead; any other error is the factory's.
  Result<std::unique_ptr<T>> make(std::string_view name, const Setup& setup) const {
    if (const auto found = factories_.find(name); found != factories_.end()) {
      return found->second(setup);
    }
    std::string message = "no " + kind_ + " '" + std::string(name) + "'; this build has:";
    for (const auto& [known, factory] : factories_) {
      message += " " + known;
    }
    return Error{Code::kNotFound, message};
  }

  bool has(std::string_view name) const { return factories_.find(name) != factories_.end(); }

  /// In alphabetical order.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, factory] : factories_) {
      names.push_back(name);
    }
    return names;
  }

 private:
  std::string kind_;
  std::map<std::string, Factory, std::less<>> factories_;
};

}  // namespace braid

#include "modality/series/statistics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/yaml.h"
#include "modality/series/basic.h"
#include "modality/series/dynamics.h"
#include "modality/series/recording.h"
#include "modality/series/stretch.h"

namespace braid {
namespace {

constexpr NamedStatistic kBasic[] = {
    {"mean", basic::mean, nullptr},         {"std", basic::std, nullptr},
    {"min", basic::min, nullptr},           {"max", basic::max, nullptr},
    {"median", basic::median, nullptr},     {"iqr", basic::iqr, nullptr},
    {"skewness", basic::skewness, nullptr}, {"kurtosis", basic::kurtosis, nullptr},
    {"slope", basic::slope, nullptr},       {"mean_abs_change", basic::mean_abs_change, nullptr},
    {"first", basic::first, nullptr},       {"last", basic::last, nullptr},
};

constexpr NamedStatistic kDynamics[] = {
    {"mode_5", nullptr, dynamics::mode_5},
    {"mode_10", nullptr, dynamics::mode_10},
    {"stretch_high", nullptr, dynamics::stretch_high},
    {"stretch_decreasing", nullptr, dynamics::stretch_decreasing},
    {"acf_timescale", nullptr, dynamics::acf_timescale},
    {"acf_first_min", nullptr, dynamics::acf_first_min},
    {"low_freq_power", nullptr, dynamics::low_freq_power},
    {"median_freq", nullptr, dynamics::median_freq},
    {"forecast_error", nullptr, dynamics::forecast_error},
    {"whiten_timescale", nullptr, dynamics::whiten_timescale},
    {"trev", nullptr, dynamics::trev},
    {"ami_timescale", nullptr, dynamics::ami_timescale},
    {"high_fluctuation", nullptr, dynamics::high_fluctuation},
};

/// The statistics that a word stands for; none for an unknown one.
std::vector<NamedStatistic> meant_by(const std::string& word) {
  if (word == "basic") {
    return {std::begin(kBasic), std::end(kBasic)};
  }
  if (word == "dynamics") {
    return {std::begin(kDynamics), std::end(kDynamics)};
  }
  for (const auto kind :
       {std::span(kBasic, std::size(kBasic)), std::span(kDynamics, std::size(kDynamics))}) {
    for (const NamedStatistic& each : kind) {
      if (word == each.name) {
        return {each};
      }
    }
  }
  return {};
}

Error unknown(const std::string& word) {
  std::set<std::string> known = {"basic", "dynamics"};
  for (const std::string kind : {"basic", "dynamics"}) {
    for (const NamedStatistic& each : meant_by(kind)) {
      known.insert(each.name);
    }
  }
  const std::string nearest = nearest_word(word, known);
  return Error{Code::kInvalidArgument,
               fmt::format("no statistic is called {}{}", json_quoted(word),
                           nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest))};
}

}  // namespace

Result<std::vector<NamedStatistic>> chosen_statistics(const std::vector<std::string>& names) {
  std::vector<NamedStatistic> chosen;
  std::set<std::string> seen;
  for (const std::string& word : names) {
    const std::vector<NamedStatistic> meant = meant_by(word);
    if (meant.empty()) {
      return unknown(word);
    }
    for (const NamedStatistic& each : meant) {
      if (!seen.insert(each.name).second) {
        return Error{Code::kInvalidArgument, fmt::format("'{}' comes twice", each.name)};
      }
      chosen.push_back(each);
    }
  }
  return chosen;
}

std::vector<double> measured(std::span<const double> values,
                             std::span<const NamedStatistic> statistics) {
  Stretch stretch(values);
  const std::span<const double> present = stretch.present();
  const bool moves = present.size() >= dynamics::kDynamicsMin && !stretch.has_gaps() &&
                     basic::std(present) > 1e-12 * std::abs(basic::mean(present));
  std::vector<double> results;
  for (const NamedStatistic& each : statistics) {
    const double value = each.basic != nullptr ? each.basic(present)
                         : moves               ? each.dynamic(stretch)
                                               : kGap;
    results.push_back(value);
  }
  return results;
}

}  // namespace braid

#include "net/load/batch_counts.h"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "net/load/fetch.h"

namespace braid {
namespace {

struct Names {
  const char* rows;
  const char* runs;
};
constexpr Names kNames[] = {{"braid_dispatch_rows_total", "braid_dispatch_batches_total"},
                            {"nv_inference_count", "nv_inference_exec_count"}};

/// The sum of the samples `name{… labels …} value`; nothing when there is none.
std::optional<double> sum_of(std::string_view page, std::string_view name,
                             const std::string& label) {
  std::optional<double> sum;
  while (!page.empty()) {
    const std::size_t end = page.find('\n');
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
    const std::string_view rest = line.starts_with(name) ? line.substr(name.size()) : "";
    const bool is_it = rest.starts_with('{') || rest.starts_with(' ');
    const std::size_t space = line.rfind(' ');
    const bool has_label = label.empty() || line.find("{" + label) != std::string_view::npos ||
                           line.find("," + label) != std::string_view::npos;
    if (is_it && has_label) {
      sum = sum.value_or(0) + std::strtod(std::string(line.substr(space + 1)).c_str(), nullptr);
    }
  }
  return sum;
}

}  // namespace

Result<BatchCounts> parse_batch_counts(std::string_view page, std::string_view model) {
  for (const std::string& label : {fmt::format("model=\"{}\"", model), std::string()}) {
    for (const Names& names : kNames) {
      const auto rows = sum_of(page, names.rows, label);
      const auto runs = sum_of(page, names.runs, label);
      if (rows.has_value() && runs.has_value()) {
        return BatchCounts{*rows, *runs};
      }
    }
  }
  return Error{Code::kNotFound,
               fmt::format("the metrics page counts no rows and runs; looked for {} and {}",
                           kNames[0].rows, kNames[1].rows)};
}

Result<BatchCounts> fetch_batch_counts(const ServerAddress& address, std::string_view model,
                                       Duration patience) {
  const std::string place = fmt::format("--metrics-url http://{}{}", address.authority(),
                                        address.path.empty() ? "/metrics" : address.path);
  const std::string path = address.path.empty() ? "/metrics" : address.path;
  BRAID_TRY(const Fetched page, fetch(address, path, "", patience).within(place));
  if (page.status != 200) {
    return Error{Code::kUnavailable,
                 fmt::format("{}: HTTP {}: {}", place, page.status, error_text(page.body))};
  }
  return parse_batch_counts(page.body, model).within(place);
}

}  // namespace braid

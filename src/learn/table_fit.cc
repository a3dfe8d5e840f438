#include "learn/table_fit.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file.h"
#include "learn/raw_inputs.h"
#include "learn/yaml_flow.h"
#include "modality/log/drain_fit.h"
#include "modality/ngrams/ngram_fit.h"

namespace braid {
namespace {

using Visit = std::function<Result<void>(Bytes)>;

/// What a modality makes of its raw inputs; its settings are read and checked before the first row.
struct TableFit {
  Visit add;
  std::function<Result<std::string>()> finish;
};

Result<TableFit> begin_ngrams(const Settings& settings) {
  BRAID_TRY(const NgramRules rules, NgramRules::from(settings));
  BRAID_TRY(const NgramFitOptions options, NgramFitOptions::from(settings));
  const auto fit = std::make_shared<NgramFit>(rules, options);
  return TableFit{[fit](Bytes text) { return fit->add(text); },
                  [fit]() -> Result<std::string> {
                    BRAID_TRY(const NgramTable table, std::move(*fit).finish());
                    return table.to_json();
                  }};
}

Result<TableFit> begin_log(const Settings& settings) {
  BRAID_TRY(const DrainRules rules, DrainRules::from(settings));
  const auto fit = std::make_shared<DrainFit>(rules);
  return TableFit{[fit](Bytes log) {
                    Result<void> done;
                    for_each_line(log, [&](Bytes line) {
                      if (done.has_value()) {
                        auto added = fit->add(line);
                        done = added.has_value() ? Result<void>() : std::move(added).error();
                      }
                    });
                    return done;
                  },
                  [fit]() -> Result<std::string> {
                    BRAID_TRY(const LogTable table, std::move(*fit).finish());
                    return table.to_json();
                  }};
}

Result<TableFit> begin(const InputConfig& input, const Settings& settings) {
  if (input.modality != "ngrams" && input.modality != "log") {
    return input.settings.error("fit", fmt::format("modality '{}' has no table to fit; ngrams and "
                                                   "log have",
                                                   input.modality));
  }
  BRAID_TRY(TableFit fit,
            input.modality == "ngrams" ? begin_ngrams(settings) : begin_log(settings));
  BRAID_TRY_DO(settings.finish());
  return fit;
}

Result<void> add_rows(const InputConfig& input, const FitData& data, const Manifest& manifest,
                      const FitContext& context, const TableFit& fit) {
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    const ManifestRow& row = *data.rows[i];
    const auto add = [&]() -> Result<void> {
      BRAID_TRY(const auto raws, load_raws(row, {input.from}));
      return raws.has_value() ? fit.add(raws->front()) : Result<void>();
    };
    Result<void> added =
        add().within(fmt::format("{}:{}: row '{}'", manifest.file.string(), row.line, row.id));
    if (!added.has_value() && !context.skip_bad) {
      return added;
    }
    if (context.stopped()) {
      return Error{Code::kCancelled, "stopped before the tables were fitted"};
    }
    context.tell(fmt::format("{}: table", input.name), i + 1, data.row_count());
  }
  return {};
}

/// The input's settings with the table in the place of `fit`.
Result<Settings> fitted_settings(const InputConfig& input, const std::string& table,
                                 const std::string& digest, const std::filesystem::path& folder) {
  std::string text;
  for (const auto& [key, value] : input.settings.yaml().entries()) {
    if (key != "fit") {
      text += yaml_scalar(key) + ": " + yaml_flow(value) + ", ";
    }
  }
  text = "{" + text + "table: " + yaml_scalar(table) + ", digest: " + digest + "}";
  BRAID_TRY(Settings settings, Settings::parse(text, folder));
  settings.find("modality");  // read already, so no mistake
  settings.find("from");
  return settings;
}

}  // namespace

Result<void> fit_tables(const FitData& data, const Manifest& manifest, const FitContext& context,
                        const std::filesystem::path& folder, FitConfig& config) {
  for (InputConfig& input : config.pipeline.inputs) {
    if (input.settings.find("fit") == nullptr) {
      continue;
    }
    if (input.settings.find("table") != nullptr) {
      return input.settings.error("fit",
                                  "the input has a 'table' already; leave one of the two out");
    }
    BRAID_TRY(const Settings settings, input.settings.map("fit"));
    BRAID_TRY(const TableFit fit, begin(input, settings));
    BRAID_TRY_DO(add_rows(input, data, manifest, context, fit));
    const std::string name = input.name + ".table.json";
    BRAID_TRY(const std::string table, fit.finish().within(input.settings.yaml().where()));
    BRAID_TRY_DO(write_file(folder / name, table));
    BRAID_TRY(input.settings, fitted_settings(input, name, sha256(table), folder));
  }
  return {};
}

}  // namespace braid

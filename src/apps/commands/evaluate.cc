// braid evaluate: every strategy of a pipeline side by side, through the serving path.

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/evaluate_folds.h"
#include "base/file.h"
#include "measure/evidence.h"
#include "measure/figures.h"
#include "measure/report_json.h"
#include "measure/report_table.h"
#include "measure/summary.h"

namespace braid {
namespace {

constexpr const char* kManual =
    "Rows of the table: each input alone, all-early, all-late, hybrid (the root of the fusion "
    "tree),\n"
    "hybrid with inputs missing, and the policy against the full plan. docs/evaluate.md says how "
    "to\n"
    "read them.\n\n"
    "Folds: give --repository and --manifest as often as there are folds, in the same order; each\n"
    "repository answers the cases of its own manifest, and all cases are scored as one set.\n\n"
    "Goals: NAME[.low|.high] >= NUMBER, where NAME is a figure such as hybrid.accuracy,\n"
    "without_photo.accuracy, hybrid_best_single.accuracy or policy_hybrid.saving. A goal that "
    "does\n"
    "not hold gives exit code 3.\n\n"
    "Example: braid evaluate --repository shop --manifest shop.csv --without photo --json "
    "shop.json";

struct Options {
  FoldsOptions folds;
  std::int64_t concurrency = 1;
  std::int64_t limit = 0;
  std::int64_t draws = 2000;
  std::int64_t seed = 1;
  SummaryOptions summary;
  std::vector<std::string> pairs;
  std::vector<std::string> goals;
  std::string json_file;
  std::string evidence_file;
  std::string evidence_id;
  EvidenceSource source;
};

void describe(CommandLine& line, Options& options) {
  line.add_repositories(options.folds.repositories);
  line.add("--manifest", options.folds.manifests, "CSV of labelled cases; once for each repository",
           true);
  line.add("--pipeline", options.folds.pipeline,
           "which one; may be left out when there is only one");
  line.add("--split", options.folds.evaluate.split, "cases whose split is this");
  line.add("--without", options.folds.configurations.without,
           "inputs or branches to leave out, such as photo or photo,title; default: each input");
  line.add("--plan", options.folds.configurations.plans,
           "a further plan to compare with the full one");
  line.add("--full-plan", options.folds.configurations.full_plan,
           "the plan of all other rows; the last");
  line.add("--early", options.folds.configurations.early,
           "the node that is all-early; found if left out");
  line.add("--late", options.folds.configurations.late,
           "the node that is all-late; found if left out");
  line.add("--only", options.folds.only, "keys of the rows to run, such as hybrid; default: all");
  line.add("--concurrency", options.concurrency,
           "cases at a time; 1 tells the latency of a lone one");
  line.add("--limit", options.limit, "at most so many cases of each manifest; 0: all");
  line.add_flag("--skip-bad", options.folds.skip_bad,
                "leave out rows of a manifest that cannot be read");
  line.add("--draws", options.draws, "draws of the bootstrap");
  line.add("--seed", options.seed, "of the bootstrap");
  line.add("--margin", options.summary.margin, "accuracy that may be lost where money is saved");
  line.add("--compare", options.pairs,
           "a further difference, such as 'without_photo - single_title'");
  line.add("--goal", options.goals, "a figure that must hold, such as 'hybrid.accuracy >= 0.84'");
  line.add("--json", options.json_file, "write scores and the answer to every case");
  line.add("--evidence", options.evidence_file, "merge the figures into this file of evidence");
  line.add("--evidence-id", options.evidence_id, "what the ids of those rows begin with");
  line.add("--commit", options.source.commit, "of the code, for the evidence");
  line.add("--date", options.source.date, "of today, for the evidence");
  line.explain(kManual);
}

Result<void> check(Options& options) {
  if (options.folds.manifests.size() != options.folds.repositories.size()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} repositories but {} manifests; give one manifest for each",
                             options.folds.repositories.size(), options.folds.manifests.size())};
  }
  const auto in_range = [](std::int64_t value, std::int64_t min) {
    return value >= min && value <= 1'000'000;
  };
  if (!in_range(options.concurrency, 1) || !in_range(options.limit, 0) ||
      !in_range(options.draws, 1) || options.seed < 0) {
    return Error{Code::kInvalidArgument,
                 "--concurrency and --draws are from 1 to 1000000, --limit and --seed from 0"};
  }
  const bool is_sourced = !options.source.commit.empty() && !options.source.date.empty() &&
                          !options.evidence_id.empty();
  if (!options.evidence_file.empty() && !is_sourced) {
    return Error{Code::kInvalidArgument, "--evidence wants --evidence-id, --commit and --date"};
  }
  for (const std::string& text : options.pairs) {
    BRAID_TRY(auto pair, parse_pair(text));
    options.summary.pairs.push_back(std::move(pair));
  }
  options.folds.evaluate.concurrency = static_cast<std::size_t>(options.concurrency);
  options.folds.evaluate.limit = static_cast<std::size_t>(options.limit);
  options.summary.bootstrap.draw_count = static_cast<std::size_t>(options.draws);
  options.summary.bootstrap.seed = static_cast<std::uint64_t>(options.seed);
  return {};
}

/// Writes what was asked for. False when a goal does not hold.
Result<bool> report(const Options& options, const std::vector<Goal>& goals,
                    const Evaluation& evaluation) {
  BRAID_TRY(const Summary summary, summarise(evaluation, options.summary));
  fmt::print("{}", report_table(summary));
  const std::vector<Figure> all = figures(summary);
  BRAID_TRY(const std::vector<GoalOutcome> outcomes, check_goals(goals, all));
  bool all_hold = true;
  for (const GoalOutcome& outcome : outcomes) {
    fmt::print("{} {}: {:.4f}\n", outcome.holds ? "holds      " : "DOES NOT HOLD",
               outcome.goal.text, outcome.value);
    all_hold = all_hold && outcome.holds;
  }
  if (!options.json_file.empty()) {
    BRAID_TRY_DO(write_file(options.json_file, report_json(evaluation, summary).dump(1) + "\n"));
  }
  if (!options.evidence_file.empty()) {
    BRAID_TRY_DO(merge_evidence(options.evidence_file, options.source, this_machine(),
                                evidence_rows(options.evidence_id, all, outcomes)));
  }
  return all_hold;
}

class Evaluate final : public Command {
 public:
  std::string summary() const override { return "score every strategy on labelled cases"; }

  Exit run(const std::vector<std::string>& arguments) const override {
    Options options;
    options.source.command = fmt::format("braid evaluate {}", fmt::join(arguments, " "));
    CommandLine line("evaluate", summary());
    describe(line, options);
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    if (const Result<void> checked = check(options); !checked.has_value()) {
      static_cast<void>(line.fail(checked.error()));
      return Exit::kUsage;
    }
    std::vector<Goal> goals;
    for (const std::string& text : options.goals) {
      const Result<Goal> goal = parse_goal(text);
      if (!goal.has_value()) {
        static_cast<void>(line.fail(goal.error()));
        return Exit::kUsage;
      }
      goals.push_back(*goal);
    }
    const Result<Evaluation> evaluation = evaluate_folds(options.folds);
    if (!evaluation.has_value()) {
      return line.fail(evaluation.error());
    }
    const Result<bool> all_hold = report(options, goals, *evaluation);
    if (!all_hold.has_value()) {
      return line.fail(all_hold.error());
    }
    return *all_hold ? Exit::kDone : Exit::kGateFailed;
  }
};

}  // namespace

void register_evaluate(Registry<Command>& registry) {
  registry.add("evaluate", [](const NoSetup&) -> std::unique_ptr<Command> {
    return std::make_unique<Evaluate>();
  });
}

}  // namespace braid

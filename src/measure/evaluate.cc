#include "measure/evaluate.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/worker_pool.h"

namespace braid {
namespace {

Result<void> check_inputs(const PipelineConfig& pipeline, const Manifest& manifest) {
  for (const std::string& input : pipeline.raw_inputs()) {
    if (std::ranges::find(manifest.inputs, input) == manifest.inputs.end()) {
      return Error{Code::kNotFound, fmt::format("{} has no column '{}', an input of pipeline '{}'",
                                                manifest.file.string(), input, pipeline.name)};
    }
  }
  return {};
}

Result<std::vector<CaseRecord>> label_cases(const PipelineConfig& pipeline,
                                            const Manifest& manifest,
                                            const std::vector<const ManifestRow*>& rows) {
  std::vector<CaseRecord> cases;
  for (const ManifestRow* row : rows) {
    const auto found = std::ranges::find(pipeline.classes, row->label);
    if (found == pipeline.classes.end()) {
      return Error{Code::kInvalidArgument,
                   fmt::format("{}: line {}: label '{}' is no class of pipeline '{}'",
                               manifest.file.string(), row->line, row->label, pipeline.name)};
    }
    cases.push_back({.id = row->id,
                     .group = row->group,
                     .label = row->label,
                     .truth = static_cast<std::size_t>(found - pipeline.classes.begin())});
  }
  return cases;
}

CaseAnswer to_answer(const Result<Decision>& decision, std::size_t class_count) {
  CaseAnswer answer;
  if (!decision.has_value()) {
    answer.error = decision.error().describe();
    answer.probabilities.assign(class_count, 1 / static_cast<double>(class_count));
    return answer;
  }
  for (const auto& [name, probability] : decision->probabilities) {
    answer.probabilities.push_back(probability);
  }
  answer.label = decision->label;
  answer.plan = decision->plan;
  answer.latency_ms = decision->latency_ms;
  answer.cost_core_ms = decision->cost_core_ms;
  answer.cut_short = std::ranges::find(decision->degraded, "deadline", &Degraded::reason) !=
                     decision->degraded.end();
  return answer;
}

/// Asks about one case in every configuration. Constant, so shared by the workers.
class Asker {
 public:
  Asker(const PipelineConfig& pipeline, const std::vector<Configuration>& configurations,
        const Door& door)
      : pipeline_(pipeline), configurations_(configurations), door_(door) {}

  /// `turn` says which configuration begins.
  Result<std::vector<CaseAnswer>> ask(const ManifestRow& row, std::size_t turn) const {
    std::vector<RawInput> inputs;
    for (const auto& [name, cell] : row.inputs) {
      if (cell.present()) {
        BRAID_TRY(std::string bytes, load_cell(cell).within(fmt::format("line {}", row.line)));
        inputs.push_back({name, std::move(bytes)});
      }
    }
    std::vector<CaseAnswer> answers(configurations_.size());
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      const std::size_t c = (turn + i) % configurations_.size();
      answers[c] =
          to_answer(door_(request(row, inputs, configurations_[c])), pipeline_.classes.size());
    }
    return answers;
  }

 private:
  Request request(const ManifestRow& row, const std::vector<RawInput>& inputs,
                  const Configuration& configuration) const {
    Request request;
    request.pipeline = pipeline_.name;
    request.id = row.id;
    request.explain = false;  // contributions are not scored
    request.plan = configuration.plan;
    request.answer_node = configuration.answer_node;
    for (const RawInput& input : inputs) {
      if (std::ranges::find(configuration.inputs, input.name) != configuration.inputs.end()) {
        request.inputs.push_back(input);
      }
    }
    return request;
  }

  const PipelineConfig& pipeline_;
  const std::vector<Configuration>& configurations_;
  const Door& door_;
};

/// Hands out cases to workers and gathers what they bring.
class Run {
 public:
  Run(const Asker& asker, const std::vector<const ManifestRow*>& rows,
      std::vector<CaseRecord>& cases, const EvaluateProgress& progress)
      : asker_(asker), rows_(rows), cases_(cases), progress_(progress) {}

  /// Until no case is left or one could not be read.
  void work() {
    while (const auto index = take()) {
      Result<std::vector<CaseAnswer>> answers = asker_.ask(*rows_[*index], *index);
      const Lock lock(mutex_);
      if (!answers.has_value()) {
        failure_ = std::move(answers).error();
        return;
      }
      cases_[*index].answers = *std::move(answers);
      progress_(++done_, rows_.size());
    }
  }

  Result<void> result() {
    const Lock lock(mutex_);
    return failure_.has_value() ? Result<void>(*failure_) : Result<void>();
  }

 private:
  std::optional<std::size_t> take() {
    const Lock lock(mutex_);
    if (next_ == rows_.size() || failure_.has_value()) {
      return std::nullopt;
    }
    return next_++;
  }

  const Asker& asker_;
  const std::vector<const ManifestRow*>& rows_;
  std::vector<CaseRecord>& cases_;  // each worker writes the ones that it took
  const EvaluateProgress& progress_;

  Mutex mutex_;
  std::size_t next_ GUARDED_BY(mutex_) = 0;
  std::size_t done_ GUARDED_BY(mutex_) = 0;
  std::optional<Error> failure_ GUARDED_BY(mutex_);
};

}  // namespace

Result<Evaluation> evaluate(const PipelineConfig& pipeline, const Manifest& manifest,
                            const std::vector<Configuration>& configurations,
                            const EvaluateOptions& options, const Door& door,
                            const EvaluateProgress& progress) {
  BRAID_TRY_DO(check_inputs(pipeline, manifest));
  BRAID_TRY(std::vector<const ManifestRow*> rows, rows_of_split(manifest, options.split));
  if (options.limit > 0 && rows.size() > options.limit) {
    rows.resize(options.limit);
  }
  Evaluation evaluation{.classes = pipeline.classes, .configurations = configurations, .cases = {}};
  BRAID_TRY(evaluation.cases, label_cases(pipeline, manifest, rows));
  const Asker asker(pipeline, configurations, door);
  for (std::size_t i = 0; i < std::min(options.warm_up, rows.size()); ++i) {
    BRAID_TRY(const auto dropped, asker.ask(*rows[i], i));
    static_cast<void>(dropped);
  }
  Run run(asker, rows, evaluation.cases, progress);
  {
    WorkerPool workers(
        {.name = "evaluate", .thread_count = std::max(options.concurrency, std::size_t{1})});
    for (std::size_t i = 0; i < std::max(options.concurrency, std::size_t{1}); ++i) {
      BRAID_TRY_DO(workers.add([&run] { run.work(); }));
    }
  }
  BRAID_TRY_DO(run.result().within(manifest.file.string()));
  return evaluation;
}

Result<Evaluation> pool(std::vector<Evaluation> folds) {
  Evaluation pooled{.classes = folds.front().classes,
                    .configurations = folds.front().configurations,
                    .cases = {}};
  std::set<std::string> ids;
  for (Evaluation& fold : folds) {
    const bool same = fold.classes == pooled.classes &&
                      std::ranges::equal(fold.configurations, pooled.configurations, {},
                                         &Configuration::title, &Configuration::title);
    if (!same) {
      return Error{Code::kInvalidArgument,
                   "folds differ in classes, inputs or nodes; fit them with the same settings"};
    }
    for (CaseRecord& each : fold.cases) {
      if (!ids.insert(each.id).second) {
        return Error{
            Code::kInvalidArgument,
            fmt::format("case '{}' is tested in two folds; folds must not overlap", each.id)};
      }
      pooled.cases.push_back(std::move(each));
    }
  }
  return pooled;
}

std::vector<Answer> answers_of(const Evaluation& evaluation, std::size_t configuration_index) {
  std::vector<Answer> answers;
  for (const CaseRecord& each : evaluation.cases) {
    const CaseAnswer& given = each.answers[configuration_index];
    answers.push_back({.truth = each.truth,
                       .probabilities = given.probabilities,
                       .answered = given.error.empty()});
  }
  return answers;
}

}  // namespace braid

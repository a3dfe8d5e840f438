#pragma once
// Evaluate: sends every case of a split through the serving path once for each configuration and
// writes down what came back. Nothing is scored here (measure/summary.h).
//
// For each case the configurations follow each other in turning order, so that whatever slows the
// machine for a while slows all of them alike, and they are compared case by case.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/answer.h"
#include "measure/configurations.h"
#include "measure/manifest.h"
#include "serve/request.h"

namespace braid {

/// What one configuration answered to one case.
struct CaseAnswer {
  std::vector<double> probabilities = {};  // in class order; all equal when it failed
  std::string label = {};
  std::string plan = {};
  double latency_ms = 0;
  double cost_core_ms = 0;
  bool cut_short = false;  // the deadline came before everything had run
  std::string error = {};  // why there is none; "" when there is one
};

struct CaseRecord {
  std::string id;
  std::string group;
  std::string label;                     // the truth
  std::size_t truth = 0;                 // its class
  std::vector<CaseAnswer> answers = {};  // as Evaluation::configurations
};

struct Evaluation {
  std::vector<std::string> classes;
  std::vector<Configuration> configurations;
  std::vector<CaseRecord> cases;
};

struct EvaluateOptions {
  std::string split = "test";
  std::size_t concurrency = 1;  // cases at a time; more answer sooner, but wait for each other
  std::size_t limit = 0;        // cases; 0: all
  std::size_t warm_up = 2;      // cases that are asked before, so that no first run is measured
};

/// The serving path: Engine::decide, or a fake in a test. Called from `concurrency` threads.
using Door = std::function<Result<Decision>(Request)>;
/// Cases done and in all; from one thread at a time.
using EvaluateProgress = std::function<void(std::size_t done, std::size_t total)>;

/// kInvalidArgument with the line for a label that is no class, kNotFound for a split or an input
/// of the pipeline that the manifest does not have. A request that fails is an answer that is
/// wrong.
Result<Evaluation> evaluate(const PipelineConfig& pipeline, const Manifest& manifest,
                            const std::vector<Configuration>& configurations,
                            const EvaluateOptions& options, const Door& door,
                            const EvaluateProgress& progress);

/// Cases of several folds, each evaluated by the pipeline that was fitted without it, as one.
/// kInvalidArgument when classes or configurations differ or a case comes twice.
Result<Evaluation> pool(std::vector<Evaluation> folds);

/// The answers of one configuration, as scores want them.
std::vector<Answer> answers_of(const Evaluation& evaluation, std::size_t configuration_index);

}  // namespace braid

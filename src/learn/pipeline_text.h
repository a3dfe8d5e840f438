#pragma once
// pipeline.yaml of a fitted pipeline, as a person would have written it.
// Threads: pure.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "learn/cascade_fit.h"
#include "learn/fit_setup.h"
#include "learn/heads_fit.h"
#include "learn/plan_fit.h"

namespace braid {

struct PipelineText {
  const FitSetup& setup;
  const std::vector<HeadPlan>& heads;
  const std::vector<PlanOutcome>& plans;  // used where FIT.yaml names none
  const CascadeChoice& cascade;           // used where FIT.yaml names no policy
  /// What a file that an input's settings name is called beside pipeline.yaml.
  std::map<std::string, std::string> files;
};

std::string pipeline_text(const PipelineText& parts);

}  // namespace braid

#pragma once
// Configurations: the ways in which a pipeline can be asked about every case, side by side: each
// modality alone, all-early, all-late, hybrid, with inputs missing, by fixed plan and by policy.
// They are found in the structure of the pipeline; options name what cannot be told from it.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/pipeline_config.h"

namespace braid {

struct Configuration {
  enum class Kind { kSingle, kEarly, kLate, kHybrid, kWithout, kPlan, kPolicy };
  Kind kind = Kind::kHybrid;
  std::string key;                              // "without_photo": for files and goals
  std::string title;                            // "hybrid without photo": for people
  std::vector<std::string> inputs;              // raw inputs that are sent, where a case has them
  std::optional<std::string> answer_node = {};  // none: the root
  std::optional<std::string> plan = {};         // none: the policy chooses
};

struct ConfigurationOptions {
  std::string full_plan = {};  // "": the last, since plans come from cheap to full
  std::string early = {};      // node; "": the learned head over most inputs
  std::string late = {};       // node; "": the vote over most single inputs
  /// "photo", "photo,title", or a branch's name for all its inputs; empty: each input alone.
  std::vector<std::string> without = {};
  std::vector<std::string> plans = {};  // further fixed plans to compare
};

struct Configurations {
  std::vector<Configuration> all;
  std::vector<std::string> notes;  // what was looked for and is not there, with the cure
};

/// kNotFound for a plan, node or input that the pipeline does not have.
Result<Configurations> find_configurations(const PipelineConfig& pipeline,
                                           const ConfigurationOptions& options = {});

}  // namespace braid

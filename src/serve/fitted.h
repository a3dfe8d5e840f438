#pragma once
// Fitted: fitted.json, written by `braid fit` only: temperatures, weights and stacking, each keyed
// by the spaces that it was fitted on, with digests of the models and of the data.
//
// {"format": 1, "classes": ["a", "b"], "prior": [0.5, 0.5],
//  "models": {"efficientnet_lite0": "<sha256>"},
//  "data": {"manifest": "<sha256>", "rows": 629},
//  "branches": {"record": [{"spaces": {"record": "record_xgb"}, "temperature": 1.2}]},
//  "nodes": {"decision": [{"spaces": {"image": "efficientnet_lite0"}, "temperature": 1.1,
//                          "weights": {"image_head": 0.7}}],
//            "joint": [{"spaces": {…}, "model": "joint_large", "temperature": 1.0}]}}

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace braid {

struct FittedEntry {
  std::map<std::string, std::string> spaces;  // branch → space; one not named does not matter
  double temperature = 1;
  std::string model;  // of a learned head
  Json parameters;    // the whole entry, for the operator
};

struct Fitted {
  std::vector<std::string> classes;
  std::vector<double> prior;
  std::map<std::string, std::string> model_digests;
  std::map<std::string, std::vector<FittedEntry>> branches;
  std::map<std::string, std::vector<FittedEntry>> nodes;
  Json data;

  Json to_json() const;
};

/// kInvalidArgument names the file and the key.
Result<Fitted> read_fitted(const std::filesystem::path& file);

}  // namespace braid

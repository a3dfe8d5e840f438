#pragma once
// FitReport: what a fit found out, for a person and for a script.

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "learn/cascade_fit.h"
#include "learn/fusion_fit.h"
#include "learn/heads_fit.h"

namespace braid {

/// What a head, a scoring branch or a fusion node says, out of fold, of rows as they are.
struct FitMember {
  std::string name;
  double accuracy = 0;
  double nll = 0;
  double ece = 0;  // 15 bins of equal mass, debiased
  double temperature = 1;
  double weight = 0;  // in the decision's vote when all is present; 0 where it has none
};

struct FitVariant {
  std::string name;  // "image: efficientnet_lite0"
  double core_ms = 0;
  std::size_t row_count = 0;  // that have its inputs
};

struct FitReport {
  std::string pipeline;
  std::filesystem::path repository;
  std::size_t row_count = 0;
  std::size_t group_count = 0;
  std::size_t class_count = 0;
  std::vector<FitVariant> variants;
  std::vector<FitMember> members;  // of the first variant of every branch; the last one decides
  std::vector<PlanOutcome> plans;
  CascadeChoice cascade;
};

/// Without repository, plans and cascade, which the caller has.
FitReport report_of(const FitSetup& setup, const FitData& data, const EmbeddedRows& embedded,
                    const std::vector<FittedHead>& heads, const FusionFit& fusion);

Json to_json(const FitReport& report);

/// Tables of at most 100 columns.
std::string readable(const FitReport& report);

}  // namespace braid

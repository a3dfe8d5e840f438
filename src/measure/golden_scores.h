#pragma once
// For tests: what tools/oracles/measure_scores.py wrote with scikit-learn and NumPy.

#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/json.h"
#include "measure/answer.h"

namespace braid {

struct GoldenScores {
  Json json = *Json::parse(*read_file("tests/data/measure/scores.json"));
  std::vector<Answer> answers;
  std::vector<std::string> groups;

  GoldenScores() {
    const Json::List& truths = *json.find("truth")->list();
    for (std::size_t i = 0; i < truths.size(); ++i) {
      Answer answer{.truth = static_cast<std::size_t>(truths[i].number()), .probabilities = {}};
      for (const Json& p : *(*json.find("probabilities")->list())[i].list()) {
        answer.probabilities.push_back(p.number());
      }
      answers.push_back(std::move(answer));
      groups.push_back(*(*json.find("groups")->list())[i].text());
    }
  }

  double number(const char* name) const {
    const Json* found = json.find(name);
    BRAID_CHECK(found != nullptr && found->is_number());
    return found->number();
  }
};

}  // namespace braid

#pragma once
// A made-up multimodal problem whose right answer is known, for tests: two classes, equally likely,
// and two records that are independent given the class. `left` has three numbers, the first with
// means -½ and ½; `right` has two, the first with means -¾ and ¾; all deviations are 1. So
//   log odds = 1 · left[0] + 1.5 · right[0],
// and the best any rule can do is Φ(½ · √(1² + 1.5²)) = .816 with both, Φ(½) = .691 and
// Φ(¾) = .773 with one.
// An encoder "enc" (a reference model) turns left into an embedding of two numbers without loss.

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "base/file.h"
#include "base/test_folder.h"
#include "learn/fit.h"
#include "model/store.h"

namespace braid {

class Synthetic {
 public:
  explicit Synthetic(std::size_t row_count = 1200) {
    register_modality_preprocessors(preprocessors);
    register_model_backends(backends);
    register_fusion_ops(fusion_ops);
    register_policy_policies(policies);
    write("encoders/enc/1/model.reference.yaml",
          "kind: linear\ninput: features\noutput: embedding\n"
          "weights: [[2, 1], [0, 0.5], [0.1, 0]]\nbias: [3, -1]\n");
    write("manifest.csv", manifest(row_count));
    write("FIT.yaml", yaml);
  }

  void write(const std::string& file, const std::string& text) const {
    BRAID_CHECK(write_file(folder / file, text).has_value());
  }

  /// As FIT.yaml is now, with time standing still.
  Result<FitReport> fit(const std::string& repository = "repository") const {
    BRAID_TRY(FitConfig config, read_fit_config(folder / "FIT.yaml"));
    config.repository = folder / repository;
    return braid::fit(config, {preprocessors, backends, fusion_ops, policies}, context());
  }

  FitContext context() const {
    return {.clock = clock, .cache_folder = folder / "cache", .thread_count = 2};
  }

  static constexpr const char* yaml =
      "name: made_up\n"
      "manifest: manifest.csv\n"
      "models: encoders\n"
      "inputs:\n"
      "  left: {modality: table, columns: [a, b, c]}\n"
      "  right: {modality: table, columns: [d, e]}\n"
      "branches:\n"
      "  one: {inputs: [left], variants: [enc]}\n"
      "  two: {inputs: [right], variants: [{identity: features}]}\n"
      "fit: {splits: [train]}\n";

  /// Box and Muller: std::normal_distribution gives other numbers with other libraries.
  static double normal(std::mt19937_64& random) {
    const auto uniform = [&random] {
      return (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;  // 2^53
    };
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }

  const TestFolder own;
  const std::filesystem::path& folder = own.path();
  const ManualClock clock;
  Registry<Preprocessor> preprocessors{"modality"};
  Registry<Backend> backends{"model runtime"};
  Registry<FusionOp> fusion_ops{"fusion operator"};
  Registry<Policy> policies{"policy"};

 private:
  /// In every fifth row right is missing.
  static std::string manifest(std::size_t row_count) {
    std::mt19937_64 random(1);
    std::string text = "id,split,group,label,left,right\n";
    for (std::size_t i = 0; i < row_count; ++i) {
      const double sign = i % 2 == 0 ? -0.5 : 0.5;
      const auto number = [&](double mean) { return std::to_string(mean + normal(random)); };
      const std::string left = number(sign) + "," + number(0) + "," + number(0);
      const std::string right = number(1.5 * sign) + "," + number(0);
      text += std::to_string(i) + ",train,g" + std::to_string(i) + (sign < 0 ? ",no" : ",yes") +
              ",\"[" + left + "]\"," + (i % 5 == 4 ? "" : "\"[" + right + "]\"") + "\n";
    }
    return text;
  }
};

}  // namespace braid

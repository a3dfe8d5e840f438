// Fixed: always the same plan, then the answer. What others are compared with, and right where all
// requests are alike.
//   plan: NAME      the last plan, which is the full one, unless said otherwise
// Where that plan may not run, the cheapest one that may.

#include <memory>

#include "policy/plan_choice.h"
#include "policy/policy.h"

namespace braid {
namespace {

class Fixed final : public Policy {
 public:
  explicit Fixed(std::size_t plan) : plan_(plan) {}

  Action decide(const Observation& seen) const override {
    if (seen.evidence.has_value() || seen.steps_run >= seen.plans.size()) {
      return Action::answer();
    }
    const bool is_first = seen.steps_run == 0;
    return {is_first && is_allowed(seen, plan_) ? plan_ : cheapest_allowed(seen)};
  }

 private:
  const std::size_t plan_;
};

Result<std::unique_ptr<Policy>> make(const PolicySetup& setup) {
  BRAID_CHECK(!setup.plans.empty());
  BRAID_TRY(const std::string name, setup.settings.text("plan", setup.plans.back()));
  BRAID_TRY(const std::size_t plan, plan_named(setup.plans, setup.settings, "plan", name));
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  return std::unique_ptr<Policy>(std::make_unique<Fixed>(plan));
}

}  // namespace

void register_fixed(Registry<Policy>& registry) { registry.add("fixed", make); }

}  // namespace braid

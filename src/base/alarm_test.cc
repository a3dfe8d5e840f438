#include "base/alarm.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

/// Filled by alarms, awaited by tests.
struct Rung {
  Mutex mutex;
  Condition changed;
  std::vector<int> order GUARDED_BY(mutex);

  Task ring(int number) {
    return [this, number] {
      const Lock lock(mutex);
      order.push_back(number);
      changed.notify_all();
    };
  }
  std::vector<int> wait_for(std::size_t count) {
    const SystemClock clock;
    const Lock lock(mutex);
    while (order.size() < count) {
      clock.wait_until(changed, mutex, TimePoint::max());
    }
    return order;
  }
};

TEST(Alarm, RingsInTheOrderOfTime) {
  ManualClock clock;
  Rung rung;
  Alarm alarm(clock);
  alarm.set(clock.now() + 2s, rung.ring(2));
  alarm.set(clock.now() + 1s, rung.ring(1));
  alarm.set(clock.now() + 3s, rung.ring(3));
  clock.advance(3s);
  EXPECT_EQ(rung.wait_for(3), (std::vector<int>{1, 2, 3}));
}

TEST(Alarm, DoesNotRingBeforeItsTimeNorWhenCancelled) {
  ManualClock clock;
  Rung rung;
  Alarm alarm(clock);
  const TimePoint soon = clock.now() + 1s;
  const Alarm::Id cancelled = alarm.set(soon, rung.ring(1));
  alarm.set(clock.now() + 1h, rung.ring(2));
  alarm.set(soon, rung.ring(3));
  EXPECT_TRUE(alarm.cancel(cancelled, soon));
  EXPECT_FALSE(alarm.cancel(cancelled, soon));
  clock.advance(1s);
  EXPECT_EQ(rung.wait_for(1), std::vector<int>{3});
}

// Whoever waits for an hour must not hold up the end of the program.
TEST(Alarm, DropsWhatHasNotRungWhenItEnds) {
  const ManualClock clock;
  Rung rung;
  {
    Alarm alarm(clock);
    alarm.set(clock.now() + 1h, rung.ring(1));
  }
  const Lock lock(rung.mutex);
  EXPECT_TRUE(rung.order.empty());
}

TEST(Alarm, ACallbackMaySetTheNext) {
  ManualClock clock;
  Rung rung;
  Alarm alarm(clock);
  alarm.set(clock.now(), [&] {
    rung.ring(1)();
    alarm.set(clock.now(), rung.ring(2));
  });
  EXPECT_EQ(rung.wait_for(2), (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace braid

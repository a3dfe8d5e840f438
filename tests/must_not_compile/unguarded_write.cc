// Clang must refuse this file: a member is written without the lock that guards it.

#include "base/mutex.h"

class Counter {
 public:
  void add() { ++count_; }

 private:
  braid::Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};

void count_up(Counter& counter) { counter.add(); }

#pragma once
// Solitude: whether a request for this model that finds the machine idle usually has it for itself
// until its run ends. If so a run on all cores is worth it; if others keep coming they would only
// wait longer.
// Threads: guarded by the dispatcher's lock.

namespace braid {

class Solitude {
 public:
  /// A run begins that has the machine for itself.
  void begin() { was_disturbed_ = false; }
  void note_arrival() { was_disturbed_ = true; }
  void end() { company_ += ((was_disturbed_ ? 1 : 0) - company_) / 8; }  // the last eight or so
  bool usual() const { return company_ < 0.4; }

 private:
  bool was_disturbed_ = false;
  double company_ = 0;  // share of lone runs into which others came
};

}  // namespace braid

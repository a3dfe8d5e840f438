#pragma once
// How far a fit has come, on standard error: a line that is written over when it is a terminal,
// otherwise a line each tenth, so that a log stays readable.
// Threads: one at a time, as FitContext promises.

#include <string>

#include "base/clock.h"
#include "learn/embed.h"

namespace braid {

class FitProgressPrinter {
 public:
  FitProgressPrinter(const Clock& clock, bool is_terminal)
      : clock_(clock), is_terminal_(is_terminal) {}
  ~FitProgressPrinter();
  FitProgressPrinter(const FitProgressPrinter&) = delete;
  FitProgressPrinter& operator=(const FitProgressPrinter&) = delete;

  void show(const FitProgress& progress);
  void warn(const std::string& text);

 private:
  void end_line();

  const Clock& clock_;
  const bool is_terminal_;
  std::string stage_;
  TimePoint begun_{};
  TimePoint shown_{};
  std::size_t tenths_ = 0;
  bool line_open_ = false;
};

}  // namespace braid

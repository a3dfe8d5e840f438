#include "apps/fit_progress.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr Duration kRedraw = std::chrono::milliseconds(100);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

FitProgressPrinter::~FitProgressPrinter() { end_line(); }

void FitProgressPrinter::show(const FitProgress& progress) {
  const TimePoint now = clock_.now();
  if (progress.stage != stage_) {
    end_line();
    stage_ = progress.stage;
    begun_ = now;
    shown_ = TimePoint{};
    tenths_ = 0;
  }
  const bool done = progress.done == progress.total;
  const std::size_t tenths = progress.done * 10 / std::max<std::size_t>(progress.total, 1);
  const bool due = is_terminal_ ? now - shown_ >= kRedraw : tenths > tenths_;
  if (!due && !done) {
    return;
  }
  shown_ = now;
  tenths_ = tenths;
  const double spent = seconds(now - begun_);
  const double left = spent / static_cast<double>(progress.done) *
                      static_cast<double>(progress.total - progress.done);
  const std::string line =
      fmt::format("{:<44} {:>7}/{}  {:.0f} s{}", stage_, progress.done, progress.total, spent,
                  done ? "" : fmt::format(", {:.0f} s left", left));
  if (is_terminal_) {
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    line_open_ = true;
    if (done) {
      end_line();
    }
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

void FitProgressPrinter::warn(const std::string& text) {
  end_line();
  std::fprintf(stderr, "braid fit: %s\n", text.c_str());
}

void FitProgressPrinter::end_line() {
  if (line_open_) {
    std::fputc('\n', stderr);
    line_open_ = false;
  }
}

}  // namespace braid

#pragma once
// LogLines: whole lines for other programs, such as an access log, on standard output, so that they
// do not mix with what Log tells the operator on standard error. A thread of its own writes them:
// whoever logs is never held up by a slow reader. Of more than queue_max lines that wait the oldest
// are dropped and counted. Nothing is made before the first line.
// Threads: write() from any.   Life: the destructor writes what waits and joins.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>

namespace braid {

class LogLines {
 public:
  explicit LogLines(std::size_t queue_max = 4096);
  ~LogLines();
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  void write(std::string_view line);
  std::size_t dropped() const;

 private:
  struct Writer;
  const std::size_t queue_max_;
  std::once_flag first_;
  std::unique_ptr<Writer> writer_;  // made by the first write()
};

}  // namespace braid

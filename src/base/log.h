#pragma once
// Log: lines for the operator on standard error. An ordinary object that main makes and passes on.
// What users send is never logged: names, sizes and codes only.
// Threads: every function from any.

#include <memory>
#include <string>
#include <string_view>

namespace braid {

class Log {
 public:
  enum class Level { kError, kWarning, kInfo, kDebug };

  explicit Log(Level level = Level::kInfo);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void error(std::string_view message) const;
  void warning(std::string_view message) const;
  void info(std::string_view message) const;
  void debug(std::string_view message) const;

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace braid

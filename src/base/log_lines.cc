#include "base/log_lines.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace braid {

struct LogLines::Writer {
  explicit Writer(std::size_t queue_max)
      : pool(std::make_shared<spdlog::details::thread_pool>(queue_max, 1)),
        logger(std::make_shared<spdlog::async_logger>(
            "lines", std::make_shared<spdlog::sinks::stdout_sink_mt>(), pool,
            spdlog::async_overflow_policy::overrun_oldest)) {
    logger->set_pattern("%v");
  }

  const std::shared_ptr<spdlog::details::thread_pool> pool;  // its end writes what waits
  const std::shared_ptr<spdlog::async_logger> logger;
};

LogLines::LogLines(std::size_t queue_max) : queue_max_(queue_max) {}

LogLines::~LogLines() {
  if (writer_ != nullptr) {
    writer_->logger->flush();
  }
}

void LogLines::write(std::string_view line) {
  std::call_once(first_, [this] { writer_ = std::make_unique<Writer>(queue_max_); });
  writer_->logger->info("{}", line);
}

std::size_t LogLines::dropped() const {
  return writer_ == nullptr ? 0 : writer_->pool->overrun_counter();
}

}  // namespace braid

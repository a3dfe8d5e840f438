#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace braid {

struct Log::Sink {
  spdlog::logger logger{"braid", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
};

Log::Log(Level level) : sink_(std::make_unique<Sink>()) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::err, spdlog::level::warn,
                                                   spdlog::level::info, spdlog::level::debug};
  sink_->logger.set_level(kLevels[static_cast<int>(level)]);
  sink_->logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
}

Log::~Log() = default;

void Log::error(std::string_view message) const { sink_->logger.error("{}", message); }
void Log::warning(std::string_view message) const { sink_->logger.warn("{}", message); }
void Log::info(std::string_view message) const { sink_->logger.info("{}", message); }
void Log::debug(std::string_view message) const { sink_->logger.debug("{}", message); }

}  // namespace braid

// The whole verb in a process of its own: start, signals, exit codes, what it says.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/command.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/test_folder.h"
#include "net/http_server.h"
#include "net/test_client.h"

namespace braid {
void register_serve(Registry<Command>& registry);

namespace {

namespace fs = std::filesystem;

class Answer404 final : public HttpHandler {
 public:
  void handle(const HttpRequest&, HttpReply reply) override {
    std::move(reply)(http_error(404, ""));
  }
};

/// Ports are told on standard error; this takes the first number behind `text` in the file.
std::uint16_t number_after(const fs::path& file, const std::string& text) {
  const SystemClock clock;
  Mutex mutex;
  Condition never;
  for (int turn = 0; turn < 5000; ++turn) {
    const Result<std::string> said = read_file(file);
    const std::size_t at = said.has_value() ? said->find(text) : std::string::npos;
    if (at != std::string::npos && said->find('\n', at) != std::string::npos) {
      return static_cast<std::uint16_t>(std::atoi(said->c_str() + at + text.size()));
    }
    const Lock lock(mutex);
    clock.wait_until(never, mutex, clock.now() + std::chrono::milliseconds(2));
  }
  std::fprintf(stderr, "the server did not say '%s'\n", text.c_str());
  std::_Exit(99);
}

class ServeTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // A death test runs its test again in another process, which writes into the first one's
    // folder.
    ::setenv(kFolder, own_.path().c_str(), 0);
    folder_ = std::getenv(kFolder);
    fs::create_directories(folder_ / "empty");
  }
  void TearDown() override { ::unsetenv(kFolder); }

  int serve(std::vector<std::string> more) const {
    Registry<Command> registry("verb");
    register_serve(registry);
    std::vector<std::string> arguments = {"--repository", (folder_ / "empty").string()};
    for (const char* port : {"--http-port", "--grpc-port", "--metrics-port"}) {
      if (std::ranges::find(more, port) == more.end()) {
        arguments.insert(arguments.end(), {port, "0"});
      }
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return static_cast<int>((*registry.make("serve", {}))->run(arguments));
  }

  /// In the death test's child: standard error goes to a file, so that a thread can read the port,
  /// and that thread, which is there before the server, must not be the one that signals end.
  static void prepare(const fs::path& file) {
    (void)!std::freopen(file.c_str(), "w", stderr);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }

  static constexpr const char* kFolder = "BRAID_SERVE_TEST_FOLDER";
  const TestFolder own_;
  fs::path folder_;
};

TEST_F(ServeTest, AnEmptyRepositoryIsServedInExplicitMode) {
  const fs::path log = folder_ / "empty.log";
  EXPECT_EXIT(
      {
        prepare(log);
        std::thread client([&] {
          TestClient http(number_after(log, "on http://127.0.0.1:"));
          const bool ready = http.ask("GET", "/v2/health/ready").status == 200;
          const bool index = http.ask("POST", "/v2/repository/index").body == "[]";
          ::kill(::getpid(), SIGTERM);
          if (!ready || !index) {
            std::_Exit(98);
          }
        });
        const int code = serve({"--model-control-mode", "explicit"});
        client.join();
        std::_Exit(code);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_THAT(*read_file(log), testing::HasSubstr("serving nothing yet"));
  EXPECT_THAT(*read_file(log), testing::HasSubstr("stopped"));
}

TEST_F(ServeTest, AnEmptyRepositoryIsAMistakeOtherwise) {
  EXPECT_EXIT(std::_Exit(serve({})), testing::ExitedWithCode(1),
              "braid serve: .*holds neither a model .*explicit");
}

// One line, ours: gRPC's own complaint about the port is not printed beside it.
TEST_F(ServeTest, APortThatIsTakenIsOneLine) {
  Answer404 handler;
  const SystemClock clock;
  Metrics metrics;
  const auto other = HttpServer::start({}, handler, clock, metrics);
  ASSERT_TRUE(other.has_value());
  const std::string port = std::to_string((*other)->port());
  for (const char* flag : {"--http-port", "--grpc-port", "--metrics-port"}) {
    EXPECT_EXIT(std::_Exit(serve({"--model-control-mode", "explicit", flag, port})),
                testing::ExitedWithCode(1),
                "^braid serve: cannot listen on 127.0.0.1[^\n]*(taken|in use)[^\n]*\n$")
        << flag;
  }
}

TEST_F(ServeTest, ASecondSignalEndsItAtOnce) {
  const fs::path log = folder_ / "second.log";
  EXPECT_EXIT(
      {
        prepare(log);
        std::thread client([&] {
          TestClient http(number_after(log, "on http://127.0.0.1:"));
          http.send("POST /v2/repository/index HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{");
          ::kill(::getpid(), SIGTERM);  // waits for that request's body, for an hour
          number_after(log, "stopping");
          ::kill(::getpid(), SIGTERM);
          ::pause();
        });
        const int code = serve({"--model-control-mode", "explicit", "--exit-timeout", "3600",
                                "--idle-timeout", "3600"});
        client.join();
        std::_Exit(code);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST_F(ServeTest, WritesALineARequest) {
  const fs::path log = folder_ / "access.log";
  const fs::path lines = folder_ / "access.jsonl";
  EXPECT_EXIT(
      {
        prepare(log);
        (void)!std::freopen(lines.c_str(), "w", stdout);
        std::thread client([&] {
          TestClient http(number_after(log, "on http://127.0.0.1:"));
          http.ask("GET", "/v2/models/zebra", "", "X-Request-Id: abc-1\r\n");
          ::kill(::getpid(), SIGTERM);
        });
        const int code = serve({"--model-control-mode", "explicit", "--access-log", "json"});
        client.join();
        std::_Exit(code);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_THAT(*read_file(lines),
              testing::HasSubstr("\"id\":\"abc-1\",\"wire\":\"http\",\"call\":\"model\",\"name\":"
                                 "\"zebra\",\"status\":404,"));
}

}  // namespace
}  // namespace braid

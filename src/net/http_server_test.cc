#include "net/http_server.h"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "net/test_client.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

/// Answers with what the test says; by default method, target and body.
class Echo final : public HttpHandler {
 public:
  void handle(const HttpRequest& request, HttpReply reply) override {
    ++seen;
    if (on_request) {
      return on_request(request, std::move(reply));
    }
    std::move(reply)({.content_type = "text/plain",
                      .body = std::string(request.method) + " " + std::string(request.target) +
                              " " + std::string(request.body.bytes())});
  }
  void begin_round() override { in_round = true; }
  void end_round() override {
    in_round = false;
    for (HttpReply& reply : std::exchange(put_off, {})) {
      std::move(reply)({.body = "at the end"});
    }
  }
  std::function<void(const HttpRequest&, HttpReply)> on_request;
  bool in_round = false;  // this and the next on the server's only thread
  std::vector<HttpReply> put_off;
  std::atomic<int> seen = 0;
};

class HttpServerTest : public testing::Test {
 protected:
  std::uint16_t serve(HttpServer::Options options = {}) {
    options.sweep_period = 2ms;
    auto started = HttpServer::start(std::move(options), echo_, clock_, metrics_);
    EXPECT_TRUE(started.has_value());
    server_ = *std::move(started);
    return server_->port();
  }

  ManualClock clock_;
  Metrics metrics_;
  Echo echo_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersManyRequestsOnOneConnection) {
  TestClient client(serve());
  for (int i = 0; i < 100; ++i) {
    const auto answer = client.ask("POST", "/a", "body " + std::to_string(i));
    ASSERT_EQ(answer.status, 200);
    ASSERT_EQ(answer.body, "POST /a body " + std::to_string(i));
  }
}

TEST_F(HttpServerTest, EndsARoundWhenNoConnectionIsReady) {
  echo_.on_request = [&](const HttpRequest& request, HttpReply reply) {
    if (echo_.in_round) {
      echo_.put_off.push_back(std::move(reply));
    } else {
      std::move(reply)({.body = std::string(request.target)});
    }
  };
  TestClient first(serve({.thread_count = 1}));
  EXPECT_EQ(first.ask("GET", "/alone").body, "/alone");
  TestClient second(server_->port());
  second.ask("GET", "/b");  // now it is known that there are two
  for (int i = 0; i < 3; ++i) {
    first.send(http_request("GET", "/a"));
    second.send(http_request("GET", "/b"));
    EXPECT_EQ(first.receive().body, "at the end");
    EXPECT_EQ(second.receive().body, "at the end");
  }
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  TestClient client(serve());
  std::string bytes;
  for (int i = 0; i < 500; ++i) {
    bytes += http_request("POST", "/" + std::to_string(i), std::string(300, 'x'));
  }
  std::thread sender([&] { client.send(bytes); });
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(client.receive().body.starts_with("POST /" + std::to_string(i) + " "));
  }
  sender.join();
}

TEST_F(HttpServerTest, TakesAnAnswerFromAnotherThread) {
  std::vector<std::thread> threads;
  echo_.on_request = [&](const HttpRequest& request, HttpReply reply) {
    threads.emplace_back(
        [reply = std::move(reply), target = std::string(request.target)]() mutable {
          std::move(reply)({.body = target});
        });
  };
  TestClient client(serve());
  client.send(http_request("GET", "/slow") + http_request("GET", "/fast"));
  EXPECT_EQ(client.receive().body, "/slow");
  EXPECT_EQ(client.receive().body, "/fast");
  server_->stop(0s);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_F(HttpServerTest, ReadsALargeBodyWhole) {
  std::string large(5 << 20, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>(i * 31 + i / 256);
  }
  bool equal = false;
  echo_.on_request = [&](const HttpRequest& request, HttpReply reply) {
    equal = request.body.bytes() == large;
    std::move(reply)({.body = large});
  };
  TestClient client(serve());
  const auto answer = client.ask("POST", "/", large);
  EXPECT_TRUE(equal);
  EXPECT_TRUE(answer.body == large);
}

TEST_F(HttpServerTest, ClientThatHangsUpSetsTheCancelFlag) {
  std::optional<HttpReply> kept;
  CancelFlag cancel;
  std::atomic<bool> arrived = false;
  echo_.on_request = [&](const HttpRequest& request, HttpReply reply) {
    kept.emplace(std::move(reply));
    cancel = request.cancel;
    arrived = true;
  };
  const std::uint16_t port = serve();
  {
    TestClient client(port);
    client.send(http_request("POST", "/", "x"));
    while (!arrived) {
      std::this_thread::yield();
    }
    EXPECT_FALSE(cancel.cancelled());
  }
  while (!cancel.cancelled()) {
    std::this_thread::yield();
  }
  std::move (*kept)({});  // an answer that nobody waits for harms nobody
  echo_.on_request = nullptr;
  EXPECT_EQ(TestClient(port).ask("GET", "/").status == 0, false);
}

TEST_F(HttpServerTest, LetsAClientGoThatSendsItsHeadTooSlowly) {
  TestClient client(serve({.header_timeout = 10s}));
  client.send("POST /a HTTP/1.1\r\nHos");
  // The server has seen these bytes once it answers a later connection; then time passes.
  EXPECT_EQ(TestClient(server_->port()).ask("GET", "/").status, 200);
  clock_.advance(11s);
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(client.closed());
}

TEST_F(HttpServerTest, KnowsTheAgeOfARequestThatCameInPieces) {
  std::atomic<Duration> age = Duration::max();
  echo_.on_request = [&](const HttpRequest& request, HttpReply reply) {
    age = request.age;
    std::move(reply)({});
  };
  TestClient client(serve());
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nhe");
  EXPECT_EQ(TestClient(server_->port()).ask("GET", "/").status, 200);  // so both halves are two
  EXPECT_EQ(age.load(), 0s);
  clock_.advance(3s);
  client.send("lf");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(age.load(), 3s);
}

TEST_F(HttpServerTest, ClosesAnIdleConnection) {
  TestClient client(serve({.idle_timeout = 75s}));
  EXPECT_EQ(client.ask("GET", "/").status, 200);
  // The server may note when the connection became idle only after the client has its answer.
  std::atomic<bool> done = false;
  std::thread time([&] {
    while (!done) {
      clock_.advance(76s);
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(client.closed());
  done = true;
  time.join();
}

TEST_F(HttpServerTest, TellsAClientToContinueBeforeItSendsTheBody) {
  TestClient client(serve());
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("abc");
  EXPECT_EQ(client.receive().body, "POST /a abc");
}

TEST_F(HttpServerTest, HeadHasNoBodyAndStaysInStep) {
  TestClient client(serve());
  const auto answer = client.ask("HEAD", "/a");
  EXPECT_EQ(answer.headers.at("content-length"), "8");  // of "HEAD /a "
  EXPECT_EQ(client.ask("GET", "/b").body, "GET /b ");
}

TEST_F(HttpServerTest, ClosesWhenAsked) {
  TestClient client(serve());
  EXPECT_EQ(client.ask("GET", "/", "", "Connection: close\r\n").headers.at("connection"), "close");
  EXPECT_TRUE(client.closed());
  TestClient old(server_->port());
  old.send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().body, "GET /old ");
  EXPECT_TRUE(old.closed());
}

// The client of a refused upload is still sending; closing at once would reset the connection and
// could take the answer with it.
TEST_F(HttpServerTest, RefusesALargeBodyInWords) {
  TestClient client(serve({.limits = {.body_bytes_max = 1000000}}));
  const auto answer = client.ask("POST", "/", std::string(1500000, 'x'));
  EXPECT_EQ(answer.status, 413);
  EXPECT_NE(answer.body.find("1000000 bytes"), std::string::npos);
  EXPECT_EQ(
      metrics_.counter("braid_http_refused_total", "", {{"server", "http"}, {"status", "413"}})
          .value(),
      1U);
  client.close_output();
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(echo_.seen, 0);
}

TEST_F(HttpServerTest, CutsOffAHeadThatNeverEnds) {
  TestClient client(serve());
  client.send("GET / HTTP/1.1\r\nX: ");
  client.send(std::string(64 << 20, 'y'));  // returns early once the server has closed
  EXPECT_EQ(client.receive().status, 431);
}

TEST_F(HttpServerTest, UnansweredRequestGetsAnInternalError) {
  echo_.on_request = [](const HttpRequest&, HttpReply) {};
  EXPECT_EQ(TestClient(serve()).ask("GET", "/").status, 500);
}

TEST_F(HttpServerTest, StopFinishesWhatIsBeingAnswered) {
  std::optional<HttpReply> kept;
  std::atomic<bool> arrived = false;
  echo_.on_request = [&](const HttpRequest&, HttpReply reply) {
    kept.emplace(std::move(reply));
    arrived = true;
  };
  const std::uint16_t port = serve();
  TestClient idle(port);
  TestClient busy(port);
  busy.send(http_request("GET", "/"));
  while (!arrived) {
    std::this_thread::yield();
  }
  std::thread stopper([&] { server_->stop(1h); });
  EXPECT_TRUE(idle.closed());
  std::move (*kept)({.body = "done"});
  const auto answer = busy.receive();
  EXPECT_EQ(answer.body, "done");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  busy.close_output();
  stopper.join();
}

TEST_F(HttpServerTest, StopWithoutPatienceLeavesNobodyBehind) {
  std::optional<HttpReply> kept;
  std::atomic<bool> arrived = false;
  echo_.on_request = [&](const HttpRequest&, HttpReply reply) {
    kept.emplace(std::move(reply));
    arrived = true;
  };
  TestClient client(serve());
  client.send(http_request("GET", "/"));
  while (!arrived) {
    std::this_thread::yield();
  }
  server_->stop(0s);
  server_.reset();
  std::move (*kept)({.body = "too late"});  // its server is gone
  EXPECT_EQ(client.receive().status, 0);
}

TEST_F(HttpServerTest, SaysWhichPortIsTaken) {
  const std::uint16_t port = serve();
  const auto second = HttpServer::start({.port = port}, echo_, clock_, metrics_);
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("127.0.0.1 port " + std::to_string(port)),
            std::string::npos);
  EXPECT_EQ(HttpServer::start({.address = "nowhere"}, echo_, clock_, metrics_).error().code,
            Code::kInvalidArgument);
}

TEST_F(HttpServerTest, ClosesConnectionsBeyondItsLimit) {
  TestClient first(serve({.connections_max = 1}));
  EXPECT_EQ(first.ask("GET", "/").status, 200);
  TestClient second(server_->port());
  EXPECT_TRUE(second.closed());
  EXPECT_EQ(first.ask("GET", "/").status, 200);
}

TEST_F(HttpServerTest, SharesConnectionsAmongItsThreads) {
  const std::uint16_t port = serve({.thread_count = 3});
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([port] {
      TestClient client(port);
      for (int j = 0; j < 200; ++j) {
        ASSERT_EQ(client.ask("POST", "/", "x").status, 200);
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(echo_.seen, 1600);
}

}  // namespace
}  // namespace braid

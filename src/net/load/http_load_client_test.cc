#include "net/load/http_load_client.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/load/scripted_server.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// What came of a request, its text kept.
struct Came {
  bool good = false;
  int code = 0;
  std::string text = {};
};

class HttpLoadClientTest : public testing::Test {
 protected:
  void serve(ScriptedServer::Script script) {
    server_ = std::make_unique<ScriptedServer>(std::move(script));
    address_ = *parse_address(fmt::format("http://127.0.0.1:{}", server_->port()));
  }
  std::unique_ptr<LoadClient> open(std::size_t connection_count,
                                   std::vector<std::string> requests = {
                                       "GET / HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    return *HttpLoadClient::open(
        address_, connection_count,
        std::make_shared<const std::vector<std::string>>(std::move(requests)), 10s);
  }
  /// Sends the first request on connection 0 and waits for what comes of it.
  Came ask(LoadClient& client, std::size_t request_index = 0) {
    client.send(0, request_index);
    std::vector<LoadAnswer> answers;
    while (answers.empty()) {
      client.wait(clock_.now() + 10s, answers);
    }
    EXPECT_EQ(answers.size(), 1U);
    return {answers[0].good, answers[0].code, std::string(answers[0].text)};
  }

  SystemClock clock_;
  std::unique_ptr<ScriptedServer> server_;
  ServerAddress address_;
};

TEST_F(HttpLoadClientTest, KeepsItsConnection) {
  serve([](std::size_t, const std::string&) {
    return ScriptedServer::Line{answer_bytes(200, "ok")};
  });
  const auto client = open(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(ask(*client).good);
  }
  EXPECT_EQ(server_->connections_seen(), 1U);
  EXPECT_EQ(server_->requests_seen(), 100U);
}

TEST_F(HttpLoadClientTest, ManyConnectionsAtOnce) {
  serve([](std::size_t, const std::string& request) {
    return ScriptedServer::Line{answer_bytes(200, request)};
  });
  const auto client = open(50);
  std::map<std::size_t, int> count;
  for (std::size_t i = 0; i < 50; ++i) {
    client->send(i, 0);
  }
  std::vector<LoadAnswer> answers;
  for (int left = 1000; left > 0;) {
    answers.clear();
    client->wait(clock_.now() + 10s, answers);
    for (const LoadAnswer& answer : answers) {
      EXPECT_TRUE(answer.good);
      ++count[answer.connection];
      client->send(answer.connection, 0);
      --left;
    }
  }
  EXPECT_EQ(count.size(), 50U);
  EXPECT_EQ(server_->connections_seen(), 50U);
}

TEST_F(HttpLoadClientTest, TellsStatusAndTextOfARefusal) {
  serve([](std::size_t nth, const std::string&) {
    return ScriptedServer::Line{nth == 0 ? answer_bytes(503, "{\"error\":\"full\"}")
                                         : answer_bytes(200, "")};
  });
  const auto client = open(1);
  const Came refused = ask(*client);
  EXPECT_FALSE(refused.good);
  EXPECT_EQ(refused.code, 503);
  EXPECT_EQ(refused.text, "{\"error\":\"full\"}");
  EXPECT_TRUE(ask(*client).good);
}

TEST_F(HttpLoadClientTest, ReadsChunks) {
  serve([](std::size_t, const std::string&) {
    return ScriptedServer::Line{
        "HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbro\r\n3\r\nken\r\n0\r\n\r\n"};
  });
  const auto client = open(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(*client).text, "broken");
  }
}

// Large requests and answers go in parts, whatever the socket takes.
TEST_F(HttpLoadClientTest, SendsAndReadsWhatIsLarge) {
  const std::string body(5 << 20, 'b');
  std::size_t got = 0;
  serve([&](std::size_t, const std::string& request) {
    got = request.size();
    return ScriptedServer::Line{answer_bytes(200, body)};
  });
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5242880\r\n\r\n";
  const auto client = open(1, {head + body});
  EXPECT_TRUE(ask(*client).good);
  EXPECT_EQ(got, head.size() + body.size());
}

TEST_F(HttpLoadClientTest, OpensAgainWhatTheServerClosed) {
  serve([](std::size_t nth, const std::string&) {
    const bool last = nth % 2 == 1;
    std::string bytes = answer_bytes(200, "");
    if (last) {
      bytes.insert(bytes.find("Content"), "Connection: close\r\n");
    }
    return ScriptedServer::Line{bytes, last};
  });
  const auto client = open(1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(ask(*client).good) << i;
  }
  EXPECT_EQ(server_->connections_seen(), 5U);
}

TEST_F(HttpLoadClientTest, AnAnswerThatBreaksOffIsLostAndTheNextGoesOn) {
  serve([](std::size_t nth, const std::string&) {
    return nth == 0 ? ScriptedServer::Line{"HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nabc", true}
                    : ScriptedServer::Line{answer_bytes(200, "")};
  });
  const auto client = open(1);
  const Came lost = ask(*client);
  EXPECT_EQ(lost.code, LoadAnswer::kLost);
  EXPECT_THAT(lost.text, HasSubstr("closed the connection within an answer"));
  EXPECT_TRUE(ask(*client).good);
}

TEST_F(HttpLoadClientTest, WhatIsNoHttpIsLost) {
  serve([](std::size_t, const std::string&) { return ScriptedServer::Line{"220 mail\r\n"}; });
  const auto client = open(1);
  EXPECT_THAT(ask(*client).text, HasSubstr("no HTTP answer: '220 mail'"));
}

TEST_F(HttpLoadClientTest, AnAbandonedRequestDoesNotAnswerTheNext) {
  serve([](std::size_t nth, const std::string&) {
    return ScriptedServer::Line{nth == 0 ? "" : answer_bytes(200, "")};
  });
  const auto client = open(1);
  client->send(0, 0);
  std::vector<LoadAnswer> answers;
  client->wait(clock_.now() + 1ms, answers);
  EXPECT_TRUE(answers.empty());
  client->abandon(0);
  while (server_->requests_seen() == 0) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(ask(*client).good);
  EXPECT_EQ(server_->connections_seen(), 2U);
}

TEST_F(HttpLoadClientTest, WaitsUntilTheTimeAndNotLess) {
  serve([](std::size_t, const std::string&) { return ScriptedServer::Line{}; });
  const auto client = open(1);
  std::vector<LoadAnswer> answers;
  for (int i = 0; i < 5; ++i) {
    const TimePoint until = clock_.now() + 3ms;
    client->wait(until, answers);
    EXPECT_GE(clock_.now(), until);
  }
  client->wait(clock_.now() - 1h, answers);  // has passed: returns
  EXPECT_TRUE(answers.empty());
}

TEST_F(HttpLoadClientTest, RefusedConnectionsAreLostOneByOne) {
  serve([](std::size_t, const std::string&) {
    return ScriptedServer::Line{answer_bytes(200, ""), true};
  });
  const auto client = open(1);
  EXPECT_TRUE(ask(*client).good);
  server_.reset();
  Came came{.good = true};
  for (int i = 0; i < 3; ++i) {  // the first may still meet the closing of the old connection
    came = ask(*client);
    EXPECT_EQ(came.code, LoadAnswer::kLost);
  }
  EXPECT_THAT(came.text, HasSubstr("refused"));
}

TEST_F(HttpLoadClientTest, SaysThatNobodyIsThere) {
  serve([](std::size_t, const std::string&) { return ScriptedServer::Line{}; });
  server_.reset();
  const auto client = HttpLoadClient::open(address_, 3, nullptr, 1s);
  ASSERT_FALSE(client.has_value());
  EXPECT_EQ(client.error().code, Code::kUnavailable);
  EXPECT_THAT(client.error().describe(),
              HasSubstr("connection 1 of 3: cannot connect to 127.0.0.1:"));
  EXPECT_THAT(client.error().describe(), HasSubstr("is the server running there"));
}

TEST(ServerAddress, ReadsAddresses) {
  EXPECT_EQ(parse_address("http://127.0.0.1:8000")->authority(), "127.0.0.1:8000");
  EXPECT_EQ(parse_address("127.0.0.1:8000/")->path, "");
  EXPECT_EQ(parse_address("http://localhost:8002/metrics")->path, "/metrics");
  EXPECT_EQ(parse_address("http://[::1]:80")->authority(), "[::1]:80");
  EXPECT_EQ(parse_address("grpc://127.0.0.1:8001")->protocol, LoadProtocol::kGrpc);
  for (const char* wrong : {"", "127.0.0.1", "http://:80", "http://h:0", "http://h:65536",
                            "ftp://h:1", "http://h:1x", "http://h:-1"}) {
    EXPECT_EQ(parse_address(wrong).error().code, Code::kInvalidArgument) << wrong;
  }
  EXPECT_EQ(parse_address("https://127.0.0.1:1").error().code, Code::kUnsupported);
}

}  // namespace
}  // namespace braid

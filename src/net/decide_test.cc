#include "net/decide.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

const PipelineFacts kFacts{"shoes", "1", {"photo", "title", "record"}, {"a", "b"}};

Result<Request> parse(std::string_view type, std::string_view body) {
  return parse_decide(kFacts, type, body, ManualClock());
}

std::string inputs_of(const Request& request) {
  std::string text;
  for (const RawInput& input : request.inputs) {
    text += fmt::format("{}={};", input.name, input.bytes);
  }
  return text;
}

TEST(Decide, ReadsJson) {
  const auto request =
      parse("application/json; charset=utf-8",
            R"({"id":"7","inputs":{"title":"Läufer","record":{"price":9.5,"sizes":[40,41]},)"
            R"("photo":{"base64":"/9j/AA=="}},"deadline_ms":250.5,"min_confidence":0.9,)"
            R"("cost_budget_core_ms":20,"explain":false,"plan":"large"})");
  ASSERT_TRUE(request.has_value()) << request.error().describe();
  EXPECT_EQ(request->pipeline, "shoes");
  EXPECT_EQ(request->id, "7");
  EXPECT_EQ(inputs_of(*request),
            "title=Läufer;record={\"price\":9.5,\"sizes\":[40,41]};photo=\xff\xd8\xff" +
                std::string(1, '\0') + ";");
  EXPECT_EQ(request->deadline.left(ManualClock()), 250500us);
  EXPECT_EQ(request->min_confidence, 0.9);
  EXPECT_EQ(request->cost_budget_core_ms, 20);
  EXPECT_FALSE(request->explain);
  EXPECT_EQ(request->plan, "large");
}

TEST(Decide, NullIsAbsentAndEmptyIsSent) {
  const auto request = parse("", R"({"inputs":{"title":"","photo":null}})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(inputs_of(*request), "title=;");
  EXPECT_EQ(request->deadline, Deadline::never());
  EXPECT_TRUE(request->explain);
}

std::string form(std::initializer_list<std::pair<const char*, const char*>> fields) {
  std::string body;
  for (const auto& [name, value] : fields) {
    body += fmt::format("--B\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", name,
                        value);
  }
  return body + "--B--";
}

constexpr const char* kForm = "multipart/form-data; boundary=B";

TEST(Decide, ReadsAForm) {
  const auto request = parse(kForm, form({{"photo", "\xff\xd8"},
                                          {"title", "a"},
                                          {"id", "7"},
                                          {"deadline_ms", "5"},
                                          {"explain", "false"}}));
  ASSERT_TRUE(request.has_value()) << request.error().describe();
  EXPECT_EQ(inputs_of(*request), "photo=\xff\xd8;title=a;");
  EXPECT_EQ(request->id, "7");
  EXPECT_EQ(request->deadline.left(ManualClock()), 5ms);
  EXPECT_FALSE(request->explain);
}

TEST(Decide, AnInputGoesBeforeAParameterOfItsName) {
  const PipelineFacts facts{"p", "1", {"id"}, {"a"}};
  const auto request = parse_decide(facts, kForm, form({{"id", "7"}}), ManualClock());
  EXPECT_EQ(inputs_of(*request), "id=7;");
  EXPECT_EQ(request->id, "");
}

struct Refusal {
  const char* type;
  std::string body;
  const char* says;
};

TEST(Decide, RefusesInWords) {
  const Refusal refusals[] = {
      {"text/plain", "{}", "neither multipart/form-data nor application/json"},
      {"multipart/form-data", "x", "names no boundary"},
      {"", "", "not valid JSON"},
      {"", "[]", "a map with inputs is wanted, not a list"},
      {"", "{}", "no inputs; the pipeline takes: photo, title, record"},
      {"", R"({"input":{}})", "no key 'input'; did you mean 'inputs'?"},
      {"", R"({"inputs":[]})", "inputs must be a map"},
      {"", R"({"inputs":{"tilte":"x"}})", "no input 'tilte'; did you mean 'title'?"},
      {"", R"({"inputs":{"zzzzzzzz":"x"}})",
       "no input 'zzzzzzzz'; there are: photo, record, title"},
      {"", R"({"inputs":{"photo":{"base64":"?"}}})", "input 'photo': base64"},
      {"", R"({"inputs":{"photo":{"base64":"????"}}})", "base64 alphabet"},
      {"", R"({"inputs":{},"deadline_ms":"5"})", "deadline_ms must be a number between 0 and"},
      {"", R"({"inputs":{},"deadline_ms":-5})", "deadline_ms must be a number between 0 and"},
      {"", R"({"inputs":{},"min_confidence":1.5})", "min_confidence must be a number between"},
      {"", R"({"inputs":{},"explain":1})", "explain must be true or false"},
      {"", R"({"inputs":{},"id":5})", "id must be a string"},
      {"", R"({"inputs":{},"id":""})", "id must be a string"},
      {"", R"({"inputs":{"title":"a","title":"b"}})", "'title' comes twice"},
      {kForm, form({{"title", "a"}, {"title", "b"}}), "part 'title' comes twice"},
      {kForm, form({{"phto", "a"}}), "no input 'phto'; did you mean 'photo'?"},
      {kForm, form({{"deadline_ms", "soon"}}), "deadline_ms must be a number"},
  };
  for (const Refusal& each : refusals) {
    SCOPED_TRACE(each.body);
    const auto request = parse(each.type, each.body);
    ASSERT_FALSE(request.has_value());
    EXPECT_EQ(request.error().code, Code::kInvalidArgument);
    EXPECT_THAT(request.error().describe(), testing::HasSubstr(each.says));
  }
}

}  // namespace
}  // namespace braid

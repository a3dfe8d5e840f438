#include "net/infer_json.h"

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

Result<InferRequest> parse(std::string_view text) {
  const Body body = Body::copy_of(text);
  return parse_infer(body, std::nullopt);
}

Result<InferRequest> parse_with_blobs(std::string_view json, std::string_view blobs) {
  Body body = Body::copy_of(json);
  body.append(blobs);
  return parse_infer(body, json.size());
}

/// A request with one input 'x'.
std::string one(std::string_view dtype, std::string_view shape, std::string_view data,
                std::string_view more = {}) {
  return fmt::format(R"({{"inputs":[{{"name":"x","datatype":"{}","shape":{},"data":{}{}}}]}})",
                     dtype, shape, data, more);
}

template <typename T>
std::vector<T> values(const InferRequest& request) {
  const auto span = request.inputs.at(0).tensor.values<T>();
  return {span.begin(), span.end()};
}

TEST(InferJson, ReadsFlatAndNestedData) {
  const std::vector<float> wanted = {1, 2, 3, -4.5F, 1e2F, 0.25F};
  for (const char* data : {"[1, 2, 3, -4.5, 1e2, 0.25]", "[[1,2,3],[-4.5,1E+2,25e-2]]"}) {
    const auto request = parse(one("FP32", "[2,3]", data));
    ASSERT_TRUE(request.has_value()) << request.error().describe();
    EXPECT_EQ(values<float>(*request), wanted);
    EXPECT_EQ(request->inputs[0].tensor.shape(), (Shape{2, 3}));
  }
}

TEST(InferJson, KeysComeInAnyOrderWithEscapesAndBlanks) {
  const auto request = parse(
      " \r\n\t{ \"outputs\" : [ { \"name\":\"y\" } ] , \"inputs\":[{\"data\":[ 7 , 8 ],"
      "\"datatype\":\"INT8\",\"sh\\u0061pe\":[ 1,2 ],\"name\":\"x\\u0030\"}] , \"id\":\"z\" }\n\n");
  ASSERT_TRUE(request.has_value()) << request.error().describe();
  EXPECT_EQ(request->inputs[0].name, "x0");
  EXPECT_EQ(values<std::int8_t>(*request), (std::vector<std::int8_t>{7, 8}));
  EXPECT_EQ(request->id, "z");
  EXPECT_EQ(request->outputs[0].name, "y");
}

// The edges of every type, as the language's own limits have them.
TEST(InferJson, KeepsEdgeValuesOfEachType) {
  EXPECT_EQ(
      values<std::int64_t>(*parse(one("INT64", "[3]",
                                      "[-9223372036854775808,9223372036854775807,"
                                      "9007199254740993]"))),
      (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max(), 9007199254740993}));
  EXPECT_EQ(values<std::uint64_t>(*parse(one("UINT64", "[1]", "[18446744073709551615]")))[0],
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(values<std::uint8_t>(*parse(one("UINT8", "[2]", "[0,255]"))),
            (std::vector<std::uint8_t>{0, 255}));
  EXPECT_EQ(values<std::int16_t>(*parse(one("INT16", "[2]", "[-32768,32767]"))),
            (std::vector<std::int16_t>{-32768, 32767}));
  EXPECT_EQ(values<float>(*parse(one("FP32", "[3]", "[3.4028235e+38,1.401298464324817e-45,-0.0]"))),
            (std::vector<float>{std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::denorm_min(), 0}));
  EXPECT_EQ(values<double>(*parse(one("FP64", "[2]", "[1.7976931348623157e308,5e-324]"))),
            (std::vector<double>{std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::denorm_min()}));
  EXPECT_EQ(values<bool>(*parse(one("BOOL", "[2]", "[true,false]"))),
            (std::vector<bool>{true, false}));
  const auto texts = parse(one("BYTES", "[3]", R"(["","a\u0000b","żółć 💩 \"\\\n"])"));
  ASSERT_TRUE(texts.has_value()) << texts.error().describe();
  EXPECT_EQ(texts->inputs[0].tensor.strings()[0], "");
  EXPECT_EQ(texts->inputs[0].tensor.strings()[1], std::string("a\0b", 3));
  EXPECT_EQ(texts->inputs[0].tensor.strings()[2], "żółć 💩 \"\\\n");
}

struct Refusal {
  std::string body;
  const char* says;  // or "this|that"
};

bool says_one_of(std::string_view text, std::string_view alternatives) {
  const std::size_t bar = alternatives.find('|');
  return text.find(alternatives.substr(0, bar)) != std::string_view::npos ||
         (bar != std::string_view::npos && says_one_of(text, alternatives.substr(bar + 1)));
}

std::string deep(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& each : refusals) {
    SCOPED_TRACE(each.body.substr(0, 200));
    const auto request = parse(each.body);
    ASSERT_FALSE(request.has_value());
    EXPECT_EQ(request.error().code, Code::kInvalidArgument);
    EXPECT_TRUE(says_one_of(request.error().describe(), each.says)) << request.error().describe();
  }
}

TEST(InferJson, RefusesEachMistakeInWords) {
  const std::vector<Refusal> refusals = {
      {"", "empty"},
      {" ", "not valid JSON"},
      {"{", "not valid JSON"},
      {"[]", "not valid JSON"},
      {"{}", "no inputs"},
      {R"({"inputs":[]})", "no inputs"},
      {R"({"inputs":{}})", "a list of inputs is wanted"},
      {R"({"inputs":null})", "a list of inputs is wanted"},
      {R"({"inputs":[1]})", "a map is wanted"},
      {R"({"Inputs":[]})", "unknown key 'Inputs'; known here: id, parameters, inputs, outputs"},
      {one("FP32", "[1]", "[1]") + "x", "not valid JSON"},
      {one("FP32", "[1]", "[1]") + one("FP32", "[1]", "[1]"), "not valid JSON|follows"},
      {one("FP32", "[1]", "[1]") + "}", "not valid JSON|follows"},
      {R"({"inputs":[{"datatype":"FP32","shape":[1],"data":[1]}]})", "no name"},
      {R"({"inputs":[{"name":5,"datatype":"FP32","shape":[1],"data":[1]}]})", "a string is wanted"},
      {R"({"inputs":[{"name":"","datatype":"FP32","shape":[1],"data":[1]}]})", "empty"},
      {R"({"inputs":[{"name":"x","shape":[1],"data":[1]}]})", "no datatype"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","data":[1]}]})", "no shape"},
      {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1]}]})", "neither data"},
      {one("FP31", "[1]", "[1]"), "datatype 'FP31' is none of"},
      {one("FP32", "[-1,16]", "[1]"), "not negative"},
      {one("FP32", "[1.5]", "[1]"), "whole number"},
      {one("FP32", "[1e30,16]", "[1]"), "whole number"},
      {one("FP32", "[18446744073709551617]", "[1]"), "whole number"},
      {one("FP32", "[]", "[1]"), "no axis"},
      {one("FP32", "[0,16]", "[]"), "an axis of 0"},
      {one("FP32", "[16,1152921504606846978]", "[1.0]"), "too many elements"},
      {one("FP32", "[4611686018427387904,4]", "[]"), "too many elements"},
      {one("UINT8", "[1048576,1048576]", "[1]"), "fewer came"},
      {one("FP32", "[2]", "[1.0]"), "1 elements in a list of axis 0, but 2"},
      {one("FP32", "[2]", "[100.0]"), "1 elements in a list"},
      {one("FP32", "[2]", "[1,2,3]"), "more than 2"},
      {one("FP32", "[2,2]", "[1,2,3]"), "fewer came"},
      {one("FP32", "[2,2]", "[[1,2],[3]]"), "1 elements in a list of axis 1"},
      {one("FP32", "[2,2]", "[[1],[2,3,4]]"), "1 elements in a list of axis 1"},
      {one("FP32", "[2,2]", "[[1,2],3,4]"), "mixed"},
      {one("FP32", "[2,2]", "[1,[2,3],4]"), "element 1: [ is no FP32"},
      {one("FP32", "[2,1,1]", "[[1],[2]]"), "nested 2 deep"},
      {one("FP32", "[2]", "[[1],[2]]"), "is no FP32"},
      {one("FP32", "[1]", "null"), "data must be a list"},
      {one("FP32", "[1]", "{\"0\":1}"), "data must be a list"},
      {one("FP32", "[1]", "[NaN]"), "not valid JSON|NaN is no FP32"},
      {one("FP32", "[1]", "[1e39]"), "1e39 is no FP32"},
      {one("FP64", "[1]", "[1e400]"), "1e400 is no FP64"},
      {one("FP32", "[1]", "[01]"), "is no FP32"},
      {one("FP32", "[1]", "[+1]"), "is no FP32"},
      {one("FP32", "[1]", "[.5]"), "is no FP32"},
      {one("FP32", "[1]", "[\"1\"]"), "is no FP32"},
      {one("UINT8", "[1]", "[300]"), "300 is no UINT8"},
      {one("UINT8", "[1]", "[-1]"), "-1 is no UINT8"},
      {one("INT8", "[1]", "[-129]"), "-129 is no INT8"},
      {one("INT32", "[1]", "[2147483648]"), "is no INT32"},
      {one("INT64", "[1]", "[9223372036854775808]"), "is no INT64"},
      {one("UINT64", "[1]", "[18446744073709551616]"), "is no UINT64"},
      {one("INT32", "[1]", "[1.5]"), "1.5 is no INT32"},
      {one("INT32", "[1]", "[1e3]"), "1e3 is no INT32"},
      {one("INT32", "[1]", "[true]"), "true is no INT32"},
      {one("INT32", "[1]", "[null]"), "null is no INT32"},
      {one("BOOL", "[1]", "[1]"), "1 is no BOOL"},
      {one("BYTES", "[1]", "[5]"), "5 is no BYTES"},
      {one("BYTES", "[1]", "[\"\xff\"]"), "not valid JSON"},
      {one("BYTES", "[1]", "[\"\\ud800\"]"), "is no BYTES"},
      {one("BYTES", "[1]", "[\"\\udc00\\ud800\"]"), "is no BYTES"},
  };
  expect_refused(refusals);
}

TEST(InferJson, RefusesEachMistakeOfKeysAndForm) {
  const std::vector<Refusal> refusals = {
      {one("FP16", "[2]", "[1.0,2.0]"), "FP16 has no form in JSON"},
      {one("BF16", "[2]", "[1.0,2.0]"), "BF16 has no form in JSON"},
      {one("FP32", "[1]", "[1]", R"(,"data":[2])"), "'data' comes twice"},
      {one("FP32", "[1]", "[1]", R"(,"shape":[1])"), "'shape' comes twice"},
      {one("FP32", "[1]", "[1]", R"(,"dtype":"FP32")"), "unknown key 'dtype'"},
      {one("FP32", "[1]", "[1]", R"(,"parameters":[])"), "parameters are a map"},
      {one("FP32", "[1]", "[1]", R"(,"parameters":{"x":[1]})"), "a string, a number or a boolean"},
      {one("FP32", "[1]", "[1]", R"(,"parameters":{"binary_data_size":4})"), "both data and"},
      {one("FP32", "[1]", deep(100000)), "not valid JSON|is no FP32"},
      {deep(100000), "not valid JSON"},
      {std::string(100000, '['), "not valid JSON"},
      {one("FP32", "[1]", "[1}"), "not valid JSON|data must be a list"},
  };
  expect_refused(refusals);
}

TEST(InferJson, RefusesTheSameNameTwice) {
  const std::string input = R"({"name":"x","datatype":"FP32","shape":[1],"data":[1]})";
  EXPECT_THAT(parse("{\"inputs\":[" + input + "," + input + "]}").error().describe(),
              testing::HasSubstr("input 'x' comes twice"));
  EXPECT_THAT(parse("{\"inputs\":[" + input + R"(],"outputs":[{"name":"y"},{"name":"y"}]})")
                  .error()
                  .describe(),
              testing::HasSubstr("output 'y' comes twice"));
}

/// A request with everything right but what is given at the top level.
std::string with(std::string_view more) {
  return fmt::format(R"({{"inputs":[{{"name":"x","datatype":"INT8","shape":[1],"data":[1]}}],{}}})",
                     more);
}

TEST(InferJson, ReadsParametersAndOutputs) {
  const auto request = parse(
      with(R"("id":"7","parameters":{"timeout":1500,"min_confidence":0.5,"cost_budget_core_ms":2,)"
           R"("binary_data_output":true,"free":"x","also":1.5},)"
           R"("outputs":[{"name":"b","parameters":{"binary_data":false,"x":1}},{"name":"a"}])"));
  ASSERT_TRUE(request.has_value()) << request.error().describe();
  EXPECT_EQ(request->timeout, std::chrono::microseconds(1500));
  EXPECT_EQ(request->min_confidence, 0.5);
  EXPECT_EQ(request->cost_budget_core_ms, 2);
  EXPECT_TRUE(request->binary_output);
  ASSERT_EQ(request->outputs.size(), 2U);
  EXPECT_EQ(request->outputs[0].name, "b");
  EXPECT_EQ(request->outputs[0].binary, false);
  EXPECT_EQ(request->outputs[1].binary, std::nullopt);
}

TEST(InferJson, RefusesWrongParametersAndOutputs) {
  const std::vector<Refusal> refusals = {
      {with(R"("id":5)"), "id: a string is wanted"},
      {with(R"("parameters":"x")"), "parameters are a map"},
      {with(R"("parameters":{"timeout":"1"})"), "whole number of microseconds"},
      {with(R"("parameters":{"timeout":-1})"), "between 0 and"},
      {with(R"("parameters":{"min_confidence":2})"), "between 0 and 1"},
      {with(R"("parameters":{"binary_data_output":"yes"})"), "true or false is wanted"},
      {with(R"("parameters":{"triton_x":"y"})"), "reserved"},
      {with(R"("parameters":{"a":1,"a":2})"), "comes twice"},
      {with(R"("outputs":{})"), "a list of outputs is wanted"},
      {with(R"("outputs":["y"])"), "outputs: [0]: a map is wanted"},
      {with(R"("outputs":[{}])"), "an output has no name"},
      {with(R"("outputs":[{"name":5}])"), "a string is wanted"},
      {with(R"("outputs":[{"name":"y","parameters":{"binary_data":1}}])"), "true or false"},
      {with(R"("outputs":[{"name":"y","parameters":{"classification":0}}])"), "1 to 1048576"},
      {with(R"("outputs":[{"name":"y","parameters":{"classification":"2"}}])"), "1 to 1048576"},
  };
  for (const Refusal& each : refusals) {
    SCOPED_TRACE(each.body);
    const auto request = parse(each.body);
    ASSERT_FALSE(request.has_value());
    EXPECT_EQ(request.error().code, Code::kInvalidArgument);
    EXPECT_THAT(request.error().describe(), testing::HasSubstr(each.says));
  }
  const std::string shared =
      R"("outputs":[{"name":"y","parameters":{"shared_memory_region":"r"}}])";
  EXPECT_EQ(parse(with(shared)).error().code, Code::kUnsupported);
}

std::string binary(std::string_view name, std::string_view dtype, std::string_view shape,
                   std::int64_t size) {
  return fmt::format(
      R"({{"name":"{}","datatype":"{}","shape":{},"parameters":{{"binary_data_size":{}}}}})", name,
      dtype, shape, size);
}

std::string inputs(std::initializer_list<std::string> list) {
  std::string json;
  for (const std::string& each : list) {
    json += (json.empty() ? "" : ",") + each;
  }
  return "{\"inputs\":[" + json + "]}";
}

TEST(BinaryInputs, FollowTheOrderOfTheInputsAmongJsonOnes) {
  using namespace std::string_literals;
  const auto request =
      parse_with_blobs(inputs({binary("b", "INT16", "[2]", 4),
                               R"({"name":"j","datatype":"INT8","shape":[1],"data":[9]})",
                               binary("a", "BYTES", "[2]", 11)}),
                       "\x01\x00\xff\xff"s + "\x03\x00\x00\x00"s + "a\0b"s + "\x00\x00\x00\x00"s);
  ASSERT_TRUE(request.has_value()) << request.error().describe();
  EXPECT_EQ(values<std::int16_t>(*request), (std::vector<std::int16_t>{1, -1}));
  EXPECT_EQ(request->inputs[1].tensor.values<std::int8_t>()[0], 9);
  EXPECT_EQ(request->inputs[2].tensor.strings()[0], "a\0b"s);
  EXPECT_EQ(request->inputs[2].tensor.strings()[1], "");
}

TEST(BinaryInputs, SizesMustBeExact) {
  using namespace std::string_literals;
  struct Case {
    std::string json;
    std::string blobs;
    const char* says;
  };
  const std::string two = inputs({binary("x", "INT16", "[2]", 4)});
  const std::string texts = inputs({binary("x", "BYTES", "[2]", 8)});
  const Case cases[] = {
      {two, "123", "3 bytes are left"},
      {two, "", "0 bytes are left"},
      {two, "12345", "1 bytes are left over"},
      {inputs({binary("x", "INT16", "[2]", 3)}), "123", "is 4 bytes, but 3 came"},
      {inputs({binary("x", "INT16", "[2]", -1)}), "1234", "not negative"},
      {inputs({binary("x", "FP32", "[1,1048576]", 4194304)}), "1234", "4 bytes are left"},
      {inputs({binary("x", "INT16", "[0,2]", 4)}), "1234", "an axis of 0"},
      {inputs({binary("x", "BOOL", "[2]", 2)}), "\x01\x02", "neither 0 nor 1"},
      {texts, "\x00\x00\x00\x00\x01\x00\x00\x00"s, "has 1 bytes, but 0 are left"},
      {texts, "\x04\x00\x00\x00"s + "abcd", "element 1 of 2 has no length"},
      {texts, "\xff\xff\xff\xff\x00\x00\x00\x00"s, "says that it has 4294967295 bytes"},
      {inputs({binary("x", "BYTES", "[1]", 9)}), "\x04\x00\x00\x00"s + "abcde", "1 bytes are left"},
      {inputs({binary("x", "BYTES", "[1099511627776]", 4)}), "\0\0\0\0"s, "4 bytes hold fewer"},
      {one("INT8", "[1]", "[1]"), "x", "1 bytes are left over"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.json);
    const auto request = parse_with_blobs(each.json, each.blobs);
    ASSERT_FALSE(request.has_value());
    EXPECT_THAT(request.error().describe(), testing::HasSubstr(each.says));
  }
  EXPECT_THAT(parse_infer(Body::copy_of("{}"), 3).error().describe(),
              testing::HasSubstr("the body only 2 bytes"));
}

}  // namespace
}  // namespace braid

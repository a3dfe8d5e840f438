#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;
using testing::Pair;

const std::filesystem::path kData = "tests/data/modality/series";

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("series", settings);
}

Result<std::unique_ptr<Preprocessor>> open(const std::string& settings) {
  BRAID_TRY(const Settings parsed, Settings::parse(settings));
  return open(parsed);
}

std::vector<float> values_of(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

std::vector<float> encode(const std::string& settings, Bytes raw) {
  return values_of((*open(settings))->encode(raw)->tensors.front().tensor);
}

Error refusal(const std::string& settings, Bytes raw) {
  return (*open(settings))->encode(raw).error();
}

/// One line of cases.yaml.
class GoldenSeries : public testing::TestWithParam<Yaml> {
 protected:
  const Yaml& at(const char* key) const { return *GetParam().find(key); }
};

std::vector<Yaml> golden_cases() { return Yaml::read(kData / "cases.yaml")->items(); }

// numpy, pandas, scipy and pycatch22; the last takes the end of a histogram a little smaller.
TEST_P(GoldenSeries, HasTheOraclesValues) {
  const auto preprocessor = *open(Settings(at("settings"), kData));
  const std::string raw = *read_file(kData / at("file").text());
  const Encoded encoded = *preprocessor->encode(raw);
  const Tensor& tensor = encoded.tensors.front().tensor;
  Shape shape;
  for (const double extent : *at("shape").numbers()) {
    shape.push_back(static_cast<std::size_t>(extent));
  }
  ASSERT_EQ(tensor.shape(), shape);
  ASSERT_TRUE(check_fits(preprocessor->outputs().front(), tensor.view()).has_value());
  const std::string bytes = *read_file(kData / "expected.bin");
  const std::span<const float> values = tensor.values<float>();
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double wanted = 0;
    const auto place = (static_cast<std::size_t>(*at("at").integer()) + i) * sizeof wanted;
    ASSERT_LE(place + sizeof wanted, bytes.size());
    std::memcpy(&wanted, bytes.data() + place, sizeof wanted);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(values[i])) << "value " << i << " is " << values[i];
    } else {
      const double scale = std::max(1.0, std::abs(wanted));
      EXPECT_NEAR(values[i], wanted, 1e-5 * scale) << "value " << i;
      worst = std::max(worst, std::abs(values[i] - wanted) / scale);
    }
  }
  RecordProperty("largest_difference", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(Series, GoldenSeries, testing::ValuesIn(golden_cases()),
                         [](const auto& each) { return "case" + std::to_string(each.index); });

TEST(Series, ReadsOneChannelAsAList) {
  EXPECT_THAT(encode("channels: a", "[1, 2.5, null, -3]"), ElementsAre(1, 2.5F, IsNan(), -3));
  EXPECT_THAT(encode("channels: a", "a\n1\nNA\n3\n"), ElementsAre(1, IsNan(), 3));
}

TEST(Series, ReadsTimeStampsInEveryUnit) {
  const auto seconds = [](const std::string& settings, Bytes raw) {
    const auto preprocessor = *open("{channels: a, time: t, " + settings + "}");
    return preprocessor->encode(raw)->quality[1];
  };
  EXPECT_THAT(seconds("time_unit: s", "[[0, 1], [2, 1]]"), Pair("seconds", 2));
  EXPECT_THAT(seconds("time_unit: ms", "[[500, 1], [2500, 1]]"), Pair("seconds", 2));
  EXPECT_THAT(seconds("time_unit: ns", "[[0, 1], [2e9, 1]]"), Pair("seconds", 2));
  // A leap day, a summer time and an offset.
  EXPECT_THAT(
      seconds("time_unit: iso8601", R"([["2024-02-28", 1], ["2024-03-01T01:00:01.5+01:00", 1]])"),
      Pair("seconds", 2 * 86400 + 1.5));
  EXPECT_THAT(
      seconds("time_unit: iso8601", "t,a\n2024-05-01 12:30,1\n2024-05-01T10:31:00-0200,1\n"),
      Pair("seconds", 60));
}

TEST(Series, SaysWhatIsMissing) {
  const auto preprocessor = *open("{channels: [a, b], time: t}");
  const Encoded encoded = *preprocessor->encode("t,a,b\n0,1,2\n1,,2\n5,1,\n");
  EXPECT_THAT(encoded.quality, ElementsAre(Pair("samples", 3), Pair("seconds", 5),
                                           Pair("missing_share", testing::DoubleEq(2 / 6.0)),
                                           Pair("longest_gap", 4)));
}

TEST(Series, GivesAMaskOfWhatCame) {
  const auto preprocessor = *open("{channels: a, mask: true, fill: zero, length: 4, pad: 0}");
  const Encoded encoded = *preprocessor->encode("[1, null, 3]");
  EXPECT_THAT(values_of(encoded.tensors[0].tensor), ElementsAre(0, 1, 0, 3));
  EXPECT_THAT(values_of(encoded.tensors[1].tensor), ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(to_string(preprocessor->outputs()[1]), "present FP32 [1, 1, 4]");
}

TEST(Series, SortsOnlyWhenAsked) {
  const char* raw = "[[2, 20], [1, 10], [1, 11], [3, 30]]";
  EXPECT_THAT(refusal("{channels: a, time: t}", raw).describe(),
              HasSubstr("sample 2 is earlier than the one before"));
  EXPECT_THAT(encode("{channels: a, time: t, unsorted: sort}", raw), ElementsAre(10, 11, 20, 30));
}

TEST(Series, HasNoDynamicsWhereNothingMoves) {
  const char* settings =
      "{channels: a, features: statistics, statistics: [mean, std, skewness, trev, mode_5]}";
  EXPECT_THAT(encode(settings, "[3, 3, 3, 3, 3, 3, 3, 3, 3]"),
              ElementsAre(3, 0, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(encode(settings, "[null, null]"),
              ElementsAre(IsNan(), IsNan(), IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(
      encode("{channels: a, features: statistics, statistics: [std, trev], undefined: zero}",
             "[1, 2, 3, null, 4, 5, 6, 7, 9]"),
      ElementsAre(testing::FloatNear(2.4969F, 1e-4F), 0));
}

TEST(Series, RefusesWhatIsNoSeries) {
  const std::string settings = "{channels: [a, b], time: t}";
  const auto complaint = [&](Bytes raw) {
    const Error error = refusal(settings, raw);
    EXPECT_EQ(error.code, Code::kInvalidArgument) << raw;
    return error.describe();
  };
  EXPECT_THAT(complaint(""), HasSubstr("empty"));
  EXPECT_THAT(complaint("[]"), HasSubstr("no samples"));
  EXPECT_THAT(complaint("t,a,b\n"), HasSubstr("no samples"));
  EXPECT_THAT(complaint("t,a\n0,1\n"), HasSubstr("no column \"b\""));
  EXPECT_THAT(complaint("t,a,a,b\n0,1,1,1\n"), HasSubstr("two columns \"a\""));
  EXPECT_THAT(complaint("t,a,b\n0,1\n"), HasSubstr("line 2 has 2 cells, the row of names 3"));
  EXPECT_THAT(complaint("t,a,b\n0,1,x\n"),
              HasSubstr("line 2: sample 1 of channel \"b\" is \"x\", which is no number"));
  EXPECT_THAT(complaint("t,a,b\n0,1,inf\n"), HasSubstr("no number"));
  EXPECT_THAT(complaint("t,a,b\n0,1,1e31\n"), HasSubstr("at most 1e30"));
  EXPECT_THAT(complaint("t,a,b\nx,1,1\n"), HasSubstr("\"x\" is no time stamp"));
  EXPECT_THAT(complaint(R"({"t": [1], "a": [1], "b": [1, 2]})"),
              HasSubstr("channel \"b\" has 2 samples, the time has 1"));
  EXPECT_THAT(complaint(R"({"t": [1], "a": 1, "b": [1]})"), HasSubstr("is a number, not a list"));
  EXPECT_THAT(complaint(R"([{"t": 0, "a": 1, "b": 1}, {"a": 1}])"),
              HasSubstr("item 2: the series has no column \"t\""));
  EXPECT_THAT(complaint("[[0, 1]]"), HasSubstr("item 1: a row has 2 values, 3 are wanted"));
  EXPECT_THAT(complaint("[5]"), HasSubstr("item 1: a number came"));
}

TEST(Series, RefusesDatesThatAreNone) {
  for (const char* date :
       {"2023-02-29", "2024-13-01", "2024-05-01T24:00", "2024-05-01T12:60", "2024-05-01T12",
        "2024-05-01T12:00+25:00", "24-05-01", "yesterday", ""}) {
    const std::string raw = std::string("[[\"") + date + "\", 1]]";
    EXPECT_EQ(refusal("{channels: a, time: t, time_unit: iso8601}", raw).code,
              Code::kInvalidArgument)
        << date;
  }
}

TEST(Series, HoldsItsLimits) {
  EXPECT_EQ(refusal("{channels: a, bytes_max: 5}", "[1, 2]").code, Code::kExhausted);
  EXPECT_EQ(refusal("{channels: a, samples_max: 1}", "[1, 2]").code, Code::kExhausted);
  EXPECT_EQ(refusal("{channels: a, time: t, samples_max: 1}", "[[1, 2], [2, 2]]").code,
            Code::kExhausted);
  // Two samples a century apart, one value a second.
  const Error far = refusal("{channels: a, time: t, every: 1}", "[[0, 1], [3e9, 2]]");
  EXPECT_EQ(far.code, Code::kExhausted);
  EXPECT_THAT(far.describe(), HasSubstr("samples_max, 100000"));
  std::string many = "[0";
  for (int i = 0; i < 20'000; ++i) {
    many += ",1";
  }
  EXPECT_EQ(refusal("{channels: a, window: 10000, step: 1}", many + "]").code, Code::kExhausted);
}

TEST(Series, RefusesASeriesShorterThanAWindow) {
  EXPECT_THAT(refusal("{channels: a, window: 4}", "[1, 2, 3]").describe(),
              HasSubstr("3 samples, a window takes 4"));
  EXPECT_THAT(encode("{channels: a, window: 4, length: 4, pad: 0}", "[1, 2, 3]"),
              ElementsAre(0, 1, 2, 3));
}

TEST(Series, SaysWhatItGives) {
  const auto output = [](const char* settings) {
    return to_string((*open(settings))->outputs().front());
  };
  EXPECT_EQ(output("channels: [a, b]"), "series FP32 [1, 2, -1]");
  EXPECT_EQ(output("{channels: [a, b], length: 9, layout: time_first}"), "series FP32 [1, 9, 2]");
  EXPECT_EQ(output("{channels: a, window: 4, step: 2, length: 9}"), "series FP32 [1, 3, 1, 4]");
  EXPECT_EQ(output("{channels: [a, b], features: statistics}"), "statistics FP32 [1, 24]");
  EXPECT_EQ(output("{channels: a, features: statistics, statistics: dynamics, window: 9}"),
            "statistics FP32 [1, -1, 13]");
}

TEST(Series, ExplainsAWrongSetUp) {
  const auto complaint = [](const char* settings) { return open(settings).error().describe(); };
  EXPECT_THAT(complaint("{}"), HasSubstr("channels: the names"));
  EXPECT_THAT(complaint("{channels: [a, a]}"), HasSubstr("comes twice"));
  EXPECT_THAT(complaint("{channels: [a, t], time: t}"), HasSubstr("that of 'time'"));
  EXPECT_THAT(complaint("{channels: a, time: t, rate: 2}"), HasSubstr("leave one of the two out"));
  EXPECT_THAT(complaint("{channels: a, every: 1, gap_max: 2}"), HasSubstr("bridges no gap"));
  EXPECT_THAT(complaint("{channels: [a, b], mean: [1, 2, 3]}"), HasSubstr("3 numbers for 2"));
  EXPECT_THAT(complaint("{channels: a, std: 0}"), HasSubstr("above 0"));
  EXPECT_THAT(complaint("{channels: a, step: 2}"), HasSubstr("'window'"));
  EXPECT_THAT(complaint("{channels: a, length: 3, window: 4}"), HasSubstr("do not fit"));
  EXPECT_THAT(complaint("{channels: a, features: statistics, statistics: [meen]}"),
              HasSubstr("did you mean 'mean'?"));
  EXPECT_THAT(complaint("{channels: a, features: statistics, statistics: [mean, basic]}"),
              HasSubstr("'mean' comes twice"));
  EXPECT_THAT(complaint("{channels: a, resampel: mean}"), HasSubstr("resampel"));
}

}  // namespace
}  // namespace braid

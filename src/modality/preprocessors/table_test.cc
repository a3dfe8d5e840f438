#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

constexpr const char* kColumns =
    "columns: [age, weight, {name: sex, categories: [f, m]}, "
    "{name: grade, type: categorical, categories: [1, 2, 3]}]";

Registry<Preprocessor> all() {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry;
}

Result<std::unique_ptr<Preprocessor>> open(const std::string& settings) {
  BRAID_TRY(const Settings parsed, Settings::parse(settings));
  return all().make("table", parsed);
}

std::unique_ptr<Preprocessor> table(const std::string& more = "") {
  return *open(std::string(kColumns) + "\n" + more);
}

std::vector<float> features(const Preprocessor& table, Bytes raw) {
  const Encoded encoded = *table.encode(raw);
  const auto values = encoded.tensors.front().tensor.values<float>();
  return {values.begin(), values.end()};
}

std::string complaint(const Preprocessor& table, Bytes raw) {
  const Error error = table.encode(raw).error();
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  return error.describe();
}

TEST(Table, ReadsARecordInAnyOrder) {
  const auto reader = table();
  EXPECT_THAT(features(*reader, R"({"age": 63, "weight": 70.5, "sex": "f", "grade": 3})"),
              ElementsAre(63, 70.5F, 0, 2));
  EXPECT_THAT(features(*reader, R"({"grade": "2", "sex": "m", "weight": -1e3, "age": true})"),
              ElementsAre(1, -1000, 1, 1));
}

TEST(Table, ReadsAListInTheOrderOfTheSchema) {
  const auto reader = table();
  EXPECT_THAT(features(*reader, R"([63, 70.5, "m", 1])"), ElementsAre(63, 70.5F, 1, 0));
  EXPECT_THAT(features(*reader, R"([[63, 70.5, "m", 1]])"), ElementsAre(63, 70.5F, 1, 0));
  EXPECT_THAT(features(*reader, R"([{"age": 1, "weight": 2, "sex": "f", "grade": 1}])"),
              ElementsAre(1, 2, 0, 0));
}

TEST(Table, TurnsWhatIsMissingIntoNaN) {
  const auto reader = table();
  const Encoded encoded = *reader->encode(R"({"age": null, "sex": ""})");
  EXPECT_THAT(encoded.tensors.front().tensor.values<float>(),
              ElementsAre(IsNan(), IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(encoded.quality, ElementsAre(testing::Pair("missing_share", 1.0),
                                           testing::Pair("unknown_categories", 0.0)));
  EXPECT_THAT(features(*reader, "{}"), ElementsAre(IsNan(), IsNan(), IsNan(), IsNan()));
}

// xgboost#4934: zeros of a dense record are numbers unless the pipeline says that they are not.
TEST(Table, TakesOnlyTheListedValuesForMissing) {
  const char* record = R"([0, -999, "NA", 1])";
  const auto reader = table("missing_values: [0, -999, NA]");
  EXPECT_THAT(features(*reader, record), ElementsAre(IsNan(), IsNan(), IsNan(), 0));
  EXPECT_THAT(features(*table(), record), ElementsAre(0, -999, IsNan(), 0));
}

TEST(Table, CountsCategoriesThatTheSchemaDoesNotList) {
  const Encoded encoded = *table()->encode(R"([1, null, "x", 9])");
  EXPECT_THAT(encoded.tensors.front().tensor.values<float>(),
              ElementsAre(1, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(encoded.quality, ElementsAre(testing::Pair("missing_share", 0.25),
                                           testing::Pair("unknown_categories", 2.0)));
  EXPECT_THAT(complaint(*table("unknown: error"), R"([1, null, "x", 1])"),
              HasSubstr(R"(column "sex" has no category "x")"));
}

TEST(Table, GivesEachCategoryAColumn) {
  const auto reader = table("encoding: one_hot");
  EXPECT_THAT(features(*reader, R"([63, null, "m", 2])"), ElementsAre(63, IsNan(), 0, 1, 0, 1, 0));
  EXPECT_THAT(features(*reader, R"([63, 1, null, "x"])"), ElementsAre(63, 1, 0, 0, 0, 0, 0));
  EXPECT_EQ(to_string(reader->outputs().front()), "features FP32 [1, 7]");
}

// xgboost#5841, xgboost#5856, server#5332: another width must never reach the model.
TEST(Table, NamesBothWidthsOfAListThatDoesNotFit) {
  const auto reader = table();
  EXPECT_THAT(complaint(*reader, "[1, 2, \"f\"]"), HasSubstr("3 values, but the schema 4 columns"));
  EXPECT_THAT(complaint(*reader, "[1, 2, \"f\", 1, 5]"), HasSubstr("has 5 values"));
  EXPECT_THAT(complaint(*reader, "[]"), HasSubstr("has 0 values"));
  EXPECT_THAT(complaint(*reader, "[{}, {}]"), HasSubstr("2 records came; send one a request"));
}

TEST(Table, NamesAnUnknownKeyAndTheNearestColumn) {
  const auto reader = table();
  EXPECT_THAT(complaint(*reader, R"({"wieght": 70})"),
              HasSubstr(R"(no column "wieght"; did you mean "weight"?)"));
  EXPECT_THAT(complaint(*reader, R"({"shoe": 70})"), HasSubstr(R"(no column "shoe")"));
  EXPECT_THAT(features(*table("extra: ignore"), R"({"shoe": 44, "age": 1})"),
              ElementsAre(1, IsNan(), IsNan(), IsNan()));
}

TEST(Table, DoesNotRepeatALongKeyInItsMessage) {
  const std::string key(100'000, 'a');
  EXPECT_LT(complaint(*table(), "{\"" + key + "\": 1}").size(), 200U);
}

TEST(Table, RefusesValuesOfAnotherKind) {
  const auto reader = table();
  EXPECT_THAT(complaint(*reader, R"({"age": "63"})"),
              HasSubstr(R"(column "age" holds numbers, but a string came)"));
  EXPECT_THAT(complaint(*reader, R"({"age": [63]})"), HasSubstr("a list came"));
  EXPECT_THAT(complaint(*reader, R"({"sex": {"f": 1}})"), HasSubstr("a map came"));
  EXPECT_THAT(complaint(*reader, "63"), HasSubstr("a record is a map or a list"));
}

TEST(Table, RefusesNumbersThatAreNone) {
  const auto reader = table();
  EXPECT_THAT(complaint(*reader, R"({"age": NaN})"), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint(*reader, R"({"age": Infinity})"), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint(*reader, R"({"age": 1e400})"), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint(*reader, R"({"age": 4e38})"), HasSubstr("beyond the range"));
  EXPECT_THAT(features(*reader, R"({"age": 3.4028234e38})").front(), 3.4028234e38F);
}

TEST(Table, RefusesWhatIsNoRecord) {
  const auto reader = table();
  for (const Bytes raw : {Bytes(""), Bytes("{"), Bytes(" "), Bytes("\xff\xfe"), Bytes("\0\0", 2),
                          Bytes(R"({"age": 1, "age": 2})")}) {
    complaint(*reader, raw);
  }
  const auto small = table("bytes_max: 10");
  EXPECT_EQ(small->encode(R"({"age": 100})").error().code, Code::kExhausted);
}

// kserve#3313: a request that lacks columns is filled or refused, as the pipeline says.
TEST(Table, RefusesMissingValuesWhenAsked) {
  EXPECT_THAT(complaint(*table("missing: refuse"), R"({"weight": 70})"),
              HasSubstr(R"(column "age" has no value)"));
}

TEST(Table, ReadsItsColumnsFromASchemaFile) {
  const auto reader = *open("schema: tests/data/modality/table/schema.json");
  EXPECT_THAT(features(*reader, R"({"mood": "😀", "sex": "m", "age": 4})"), ElementsAre(4, 1, 0));
}

std::string setup_complaint(const std::string& settings) {
  return open(settings).error().describe();
}

TEST(Table, ExplainsAWrongSetUpWithItsLine) {
  EXPECT_THAT(setup_complaint("{}"), HasSubstr("either 'schema' (a JSON file) or 'columns'"));
  EXPECT_THAT(setup_complaint("columns: []"), HasSubstr("at least one column"));
  EXPECT_THAT(setup_complaint("columns:\n- age\n- age"), HasSubstr("settings:3: column 'age'"));
  EXPECT_THAT(setup_complaint("columns:\n- {name: sex, type: categorical}"),
              HasSubstr("settings:2: column 'sex' needs its categories"));
  EXPECT_THAT(setup_complaint("columns:\n- {name: sex, typ: numeric}"),
              HasSubstr("unknown key 'typ'; did you mean 'type'?"));
  EXPECT_THAT(setup_complaint("columns:\n- {name: a, type: numeric, categories: [b]}"),
              HasSubstr("numeric, so it has no categories"));
  EXPECT_THAT(setup_complaint("columns:\n- {name: a, categories: [b, b]}"),
              HasSubstr("must differ"));
  EXPECT_THAT(setup_complaint("columns: [a]\nencodign: codes"),
              HasSubstr("did you mean 'encoding'?"));
  EXPECT_EQ(open("schema: nowhere.json").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace braid

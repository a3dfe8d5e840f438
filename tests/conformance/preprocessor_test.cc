// What modality/preprocessor.h promises, tried on every registered preprocessor: a new file in
// src/modality/preprocessors/ is tested here before anyone writes a test of its own. It brings
// tests/data/modality/NAME/conformance.yaml: settings, and samples beside it that can be encoded.

#include "modality/preprocessor.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/file.h"

namespace braid {
namespace {

Registry<Preprocessor> all() {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry;
}

std::filesystem::path folder_of(const std::string& name) {
  return std::filesystem::path("tests/data/modality") / name;
}

/// Same bits, NaN included.
bool same(const Encoded& left, const Encoded& right) {
  return std::ranges::equal(left.tensors, right.tensors, [](const auto& a, const auto& b) {
    const TensorView x = a.tensor.view();
    const TensorView y = b.tensor.view();
    return a.name == b.name && x.dtype == y.dtype && std::ranges::equal(x.shape, y.shape) &&
           std::ranges::equal(x.bytes, y.bytes) && std::ranges::equal(x.strings, y.strings);
  });
}

class EveryPreprocessor : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int kTries = 300;  // of each kind

  void SetUp() override {
    const std::filesystem::path file = folder_of(GetParam()) / "conformance.yaml";
    const auto text = read_file(file);
    ASSERT_TRUE(text.has_value()) << text.error().describe()
                                  << "; a modality brings one, see docs/add-a-modality.md";
    text_ = *text;
    const auto yaml = Yaml::parse(text_, file.string());
    ASSERT_TRUE(yaml.has_value()) << yaml.error().describe();
    const Yaml* settings = yaml->find("settings");
    const Yaml* samples = yaml->find("samples");
    ASSERT_NE(samples, nullptr) << file << " has no samples";
    auto made = all().make(GetParam(),
                           Settings(settings == nullptr ? *Yaml::parse("{}", "none") : *settings,
                                    folder_of(GetParam())));
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    preprocessor_ = *std::move(made);
    const auto names = samples->texts();
    ASSERT_TRUE(names.has_value()) << names.error().describe();
    for (const std::string& name : *names) {
      const auto sample = read_file(folder_of(GetParam()) / name);
      ASSERT_TRUE(sample.has_value()) << sample.error().describe();
      samples_.push_back(*sample);
    }
    ASSERT_FALSE(samples_.empty()) << file << " has no samples";
  }

  void expect_as_announced(const Encoded& encoded) const {
    const std::vector<TensorSpec> specs = preprocessor_->outputs();
    ASSERT_EQ(encoded.tensors.size(), specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const NamedTensor& each = encoded.tensors[i];
      EXPECT_EQ(each.name, specs[i].name);
      EXPECT_EQ(each.tensor.row_count(), 1U);
      const auto fits = check_fits(specs[i], each.tensor.view());
      EXPECT_TRUE(fits.has_value()) << fits.error().describe();
    }
  }

  /// Whatever the bytes are: announced tensors, the same again, or an error of the sender's kind.
  void expect_sane(Bytes raw) const {
    const auto encoded = preprocessor_->encode(raw);
    const auto again = preprocessor_->encode(raw);
    ASSERT_EQ(encoded.has_value(), again.has_value());
    if (encoded.has_value()) {
      expect_as_announced(*encoded);
      EXPECT_TRUE(same(*encoded, *again));
      return;
    }
    const Code code = encoded.error().code;
    EXPECT_TRUE(code == Code::kInvalidArgument || code == Code::kUnsupported ||
                code == Code::kExhausted)
        << encoded.error().describe();
    EXPECT_EQ(encoded.error().describe(), again.error().describe());
    EXPECT_LT(encoded.error().message.size(), 1000U);  // a client's bytes are not echoed whole
  }

  std::string mutated(std::string bytes) {
    const auto at = [&](std::size_t size) {
      return std::uniform_int_distribution<std::size_t>(0, size)(chance_);
    };
    for (std::size_t edit = at(3) + 1; edit > 0; --edit) {
      const std::size_t place = at(bytes.size() - 1);
      switch (at(4)) {
        case 0:
          bytes[place] = static_cast<char>(at(255));
          break;
        case 1:
          bytes[place] = static_cast<char>(bytes[place] ^ (1 << at(7)));
          break;
        case 2:
          bytes.resize(place + 1);
          break;
        case 3:
          bytes.erase(place, std::min<std::size_t>(at(16), bytes.size() - 1));
          break;
        default:
          bytes.insert(place, bytes.substr(at(bytes.size() - 1), at(64)));
      }
      if (bytes.empty()) {
        break;
      }
    }
    return bytes;
  }

  std::string text_;  // of conformance.yaml
  std::unique_ptr<Preprocessor> preprocessor_;
  std::vector<std::string> samples_;
  std::mt19937 chance_{20260101};
};

TEST_P(EveryPreprocessor, EncodesItsSamplesAsAnnounced) {
  for (const std::string& sample : samples_) {
    const auto encoded = preprocessor_->encode(sample);
    ASSERT_TRUE(encoded.has_value()) << encoded.error().describe();
    expect_as_announced(*encoded);
  }
}

TEST_P(EveryPreprocessor, AnnouncesOneRowAndNoNameTwice) {
  std::set<std::string> names;
  for (const TensorSpec& spec : preprocessor_->outputs()) {
    ASSERT_FALSE(spec.shape.empty());
    EXPECT_EQ(spec.shape.front(), 1);
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
  }
  EXPECT_FALSE(names.empty());
}

TEST_P(EveryPreprocessor, EncodesTheSameTwiceAndBetweenOthers) {
  for (const std::string& sample : samples_) {
    const Encoded first = *preprocessor_->encode(sample);
    for (const std::string& other : samples_) {
      static_cast<void>(preprocessor_->encode(other).has_value());
    }
    EXPECT_TRUE(same(first, *preprocessor_->encode(sample)));
  }
}

TEST_P(EveryPreprocessor, EncodesFromSeveralThreadsAtOnce) {
  const Encoded expected = *preprocessor_->encode(samples_.front());
  std::vector<Encoded> encoded(3);
  {
    std::vector<std::jthread> threads;
    for (Encoded& each : encoded) {
      threads.emplace_back([&] { each = *preprocessor_->encode(samples_.front()); });
    }
  }
  for (const Encoded& each : encoded) {
    EXPECT_TRUE(same(each, expected));
  }
}

TEST_P(EveryPreprocessor, AnswersNoBytes) { expect_sane(""); }

TEST_P(EveryPreprocessor, AnswersAnyBytes) {
  for (int i = 0; i < kTries; ++i) {
    std::string bytes(std::uniform_int_distribution<std::size_t>(1, 600)(chance_), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(chance_());
    }
    expect_sane(bytes);
  }
}

TEST_P(EveryPreprocessor, AnswersMutatedSamples) {
  for (const std::string& sample : samples_) {
    for (int i = 0; i < kTries; ++i) {
      expect_sane(mutated(sample));
    }
  }
}

// A setting that nobody reads is a typing mistake that would go unnoticed.
TEST_P(EveryPreprocessor, RefusesASettingThatItDoesNotKnow) {
  const std::string head = "settings:\n";
  const std::size_t place = text_.find(head);
  ASSERT_EQ(place == std::string::npos, text_.find("settings:") == std::string::npos)
      << "write settings as an indented block";
  const std::string unknown = "  no_such_setting: 1\n";
  std::string text = text_;
  if (place == std::string::npos) {
    text += head + unknown;
  } else {
    text.insert(place + head.size(), unknown);
  }
  const auto yaml = Yaml::parse(text, "conformance.yaml");
  ASSERT_TRUE(yaml.has_value()) << yaml.error().describe();
  const auto made =
      all().make(GetParam(), Settings(*yaml->find("settings"), folder_of(GetParam())));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Code::kInvalidArgument);
  EXPECT_NE(made.error().message.find("no_such_setting"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPreprocessor, testing::ValuesIn(all().names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace braid

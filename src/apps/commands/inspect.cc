// braid inspect: what a preprocessor makes of a file: tensors, statistics, quality, a picture.

#include <cstdio>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/frame_strip.h"
#include "apps/tensor_numbers.h"
#include "apps/tensor_picture.h"
#include "base/file.h"
#include "base/json.h"
#include "modality/image/write_png.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

constexpr std::size_t kColumns = 76;  // of the picture in a terminal
constexpr std::size_t kRows = 56;     // of pixels, two a line
constexpr std::size_t kNumbersShown = 12;

struct InspectOptions {
  std::string file;
  std::string modality;
  std::vector<std::string> settings;
  std::string png;
  std::string json;
};

/// "size=[8, 10]" to the line "size: [8, 10]", as it would stand in a pipeline.
Result<Settings> parse_settings(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || word.find('\n') != std::string::npos) {
      return Error{Code::kInvalidArgument,
                   fmt::format("--set {}: KEY=VALUE is wanted, as in --set size=64", word)};
    }
    text += fmt::format("{}: {}\n", word.substr(0, equals), word.substr(equals + 1));
  }
  return Settings::parse(text.empty() ? "{}" : text).within("--set");
}

Result<std::unique_ptr<Preprocessor>> open(const InspectOptions& options) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  const std::vector<std::string> names = registry.names();
  if (!registry.has(options.modality)) {
    const std::string nearest = nearest_word(options.modality, {names.begin(), names.end()});
    return Error{Code::kNotFound,
                 fmt::format("--as {}: {}this build reads: {}", options.modality,
                             nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest),
                             fmt::join(names, ", "))};
  }
  BRAID_TRY(const Settings settings, parse_settings(options.settings));
  return registry.make(options.modality, settings);
}

void print(const NamedTensor& each) {
  const Tensor& tensor = each.tensor;
  fmt::print("tensor   {} {} {}, {} bytes\n", each.name, to_string(tensor.dtype()),
             to_string(tensor.shape()), tensor.size_bytes());
  const auto numbers = numbers_of(tensor.view());
  if (!numbers.has_value()) {
    return;
  }
  const NumberFacts facts = facts_of(*numbers);
  fmt::print("         min {:.6g}  mean {:.6g}  max {:.6g}  std {:.6g}  NaN {:.4g} %\n", facts.min,
             facts.mean, facts.max, facts.std, facts.nan_share * 100);
  if (tensor.shape().size() <= 2) {
    const std::size_t count = std::min(numbers->size(), kNumbersShown);
    fmt::print("         {:.6g}{}\n", fmt::join(numbers->begin(), numbers->begin() + count, " "),
               count < numbers->size() ? " …" : "");
  }
}

Json to_json(const Encoded& encoded) {
  Json::List tensors;
  for (const NamedTensor& each : encoded.tensors) {
    Json tensor;
    tensor.set("name", each.name).set("datatype", to_string(each.tensor.dtype()));
    Json::List shape;
    for (const std::size_t extent : each.tensor.shape()) {
      shape.emplace_back(static_cast<std::int64_t>(extent));
    }
    tensor.set("shape", std::move(shape));
    if (const auto numbers = numbers_of(each.tensor.view())) {
      const NumberFacts facts = facts_of(*numbers);
      tensor.set("min", facts.min).set("mean", facts.mean).set("max", facts.max);
      tensor.set("std", facts.std).set("nan_share", facts.nan_share);
    }
    tensors.push_back(std::move(tensor));
  }
  Json quality = Json::Map();
  for (const auto& [name, value] : encoded.quality) {
    quality.set(name, value);
  }
  Json result;
  result.set("tensors", std::move(tensors)).set("quality", std::move(quality));
  return result;
}

/// Of the first tensor that has one.
std::optional<TensorPicture> first_picture(const Encoded& encoded) {
  for (const NamedTensor& each : encoded.tensors) {
    if (const auto numbers = numbers_of(each.tensor.view())) {
      const Shape& shape = each.tensor.shape();
      if (auto picture =
              each.name == "video" ? frame_strip(shape, *numbers) : picture_of(shape, *numbers)) {
        return picture;
      }
    }
  }
  return std::nullopt;
}

Result<void> show_picture(const Encoded& encoded, const std::string& png) {
  std::optional<TensorPicture> shown = first_picture(encoded);
  if (!shown.has_value()) {
    if (!png.empty()) {
      return Error{Code::kUnsupported, "--png: none of the tensors has the shape of a picture"};
    }
    return {};
  }
  if (!png.empty()) {
    BRAID_TRY(const std::string bytes, write_png(shown->picture));
    BRAID_TRY_DO(write_file(png, bytes));
    fmt::print("picture  {}: {}\n", png, shown->title);
    return {};
  }
  fmt::print("picture  {}\n", shown->title);
  const Picture small = shrunk(std::move(shown->picture), kColumns, kRows);
  fmt::print("{}", in_text(small, isatty(STDOUT_FILENO) != 0));
  return {};
}

Result<void> inspect(const InspectOptions& options) {
  BRAID_TRY(const std::unique_ptr<Preprocessor> preprocessor, open(options));
  BRAID_TRY(const std::string raw, read_file(options.file));
  BRAID_TRY(const Encoded encoded, preprocessor->encode(raw).within(options.file));
  for (const NamedTensor& each : encoded.tensors) {
    print(each);
  }
  for (const auto& [name, value] : encoded.quality) {
    fmt::print("quality  {:<20} {:.6g}\n", name, value);
  }
  BRAID_TRY_DO(show_picture(encoded, options.png));
  if (!options.json.empty()) {
    BRAID_TRY_DO(write_file(options.json, to_json(encoded).dump(2) + "\n"));
  }
  return {};
}

class Inspect final : public Command {
 public:
  std::string summary() const override { return "show what a preprocessor makes of a file"; }

  Exit run(const std::vector<std::string>& arguments) const override {
    InspectOptions options;
    CommandLine line("inspect", summary());
    line.add_positional("FILE", options.file, "the raw input");
    line.add("--as", options.modality, "the modality to read it as: image, video, text, …", true);
    line.add("--set", options.settings, "KEY=VALUE, a setting of the input; may be repeated");
    line.add("--png", options.png, "write the picture to this file instead of the terminal");
    line.add("--json", options.json, "write tensors' statistics and quality to this file");
    line.explain(
        "Example: braid inspect ct.nii.gz --as volume --set size=64 --set 'window=[-1000, 400]'\n"
        "Settings are those of the input in pipeline.yaml; files are named from here.\n"
        "Prints each tensor with its statistics, the quality numbers, and a picture where the\n"
        "shape has one: an image, the middle slices of a volume, frames of a video, a "
        "spectrogram,\n"
        "a waveform.");
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    const Result<void> done = inspect(options);
    return done.has_value() ? Exit::kDone : line.fail(done.error());
  }
};

}  // namespace

void register_inspect(Registry<Command>& registry) {
  registry.add("inspect", [](const NoSetup&) -> std::unique_ptr<Command> {
    return std::make_unique<Inspect>();
  });
}

}  // namespace braid

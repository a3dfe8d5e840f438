#include "model/triton_text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "base/yaml.h"
#include "model/triton_config.pb.h"

namespace braid {
namespace {

namespace protobuf = google::protobuf;
using Locations = protobuf::TextFormat::ParseInfoTree;

std::vector<std::string> quoted_words(const std::string& message) {
  std::vector<std::string> words;
  for (std::size_t from = message.find('"'); from != message.npos;) {
    const std::size_t to = std::min(message.find('"', from + 1), message.size());
    words.push_back(message.substr(from + 1, to - from - 1));
    from = message.find('"', std::min(to + 1, message.size()));
  }
  return words;
}

/// Protobuf says: Message type "braid.triton.T" has no field named "f".
std::string in_our_words(const std::string& message) {
  const std::vector<std::string> quoted = quoted_words(message);
  if (message.find("has no field named") == message.npos || quoted.size() != 2) {
    return message;
  }
  const auto* type = protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(quoted[0]);
  std::set<std::string> known;
  for (int i = 0; type != nullptr && i < type->field_count(); ++i) {
    known.insert(type->field(i)->name());
  }
  const std::string nearest = nearest_word(quoted[1], known);
  return fmt::format("unknown field '{}' of {}{}", quoted[1],
                     type == nullptr ? quoted[0] : type->name(),
                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
}

/// Keeps the first thing that protobuf does not like.
class Complaints final : public protobuf::io::ErrorCollector {
 public:
  explicit Complaints(std::string file) : file_(std::move(file)) {}

  void AddError(int line, int /*column*/, const std::string& message) override {
    if (first_.empty()) {
      first_ = fmt::format("{}:{}: {}", file_, line + 1, in_our_words(message));
    }
  }
  void AddWarning(int /*line*/, int /*column*/, const std::string& /*message*/) override {}

  Error error() const { return Error{Code::kInvalidArgument, first_}; }

 private:
  const std::string file_;
  std::string first_;
};

/// Walks over every field that is written: notes its line, and its mark if it has one.
class Review {
 public:
  explicit Review(TritonText& into) : text_(into) {}

  void walk(const protobuf::Message& message, const Locations& locations,
            const std::string& prefix) {
    const protobuf::Reflection& reflection = *message.GetReflection();
    std::vector<const protobuf::FieldDescriptor*> written;
    reflection.ListFields(message, &written);
    for (const protobuf::FieldDescriptor* field : written) {
      const bool repeated = field->is_repeated();
      const std::string path = prefix + field->name();
      const int line = locations.GetLocation(field, repeated ? 0 : -1).line + 1;
      text_.lines[path] = line;
      const bool nested = field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
      if (is_marked(*field, line) || !nested || field->is_map()) {
        continue;
      }
      if (!repeated) {
        walk(reflection.GetMessage(message, field), *locations.GetTreeForNested(field, -1),
             path + ".");
      }
      for (int i = 0; repeated && i < reflection.FieldSize(message, field); ++i) {
        const std::string element = fmt::format("{}[{}]", path, i);
        text_.lines[element] = locations.GetLocation(field, i).line + 1;
        walk(reflection.GetRepeatedMessage(message, field, i),
             *locations.GetTreeForNested(field, i), element + ".");
      }
    }
  }

  /// The refused field that comes first in the file; empty when there is none.
  std::string first_refused() const {
    return refused_.empty() ? std::string() : refused_.begin()->second;
  }

 private:
  bool is_marked(const protobuf::FieldDescriptor& field, int line) {
    const std::string& refused = field.options().GetExtension(triton::refused);
    const std::string& warned = field.options().GetExtension(triton::warned);
    if (!refused.empty()) {
      refused_.emplace(line, fmt::format("{}:{}: {} cannot be honoured: {}", text_.file, line,
                                         field.name(), refused));
    }
    if (!warned.empty()) {
      text_.warnings.push_back(
          fmt::format("{}:{}: {} does nothing here: {}", text_.file, line, field.name(), warned));
    }
    return !refused.empty() || !warned.empty();
  }

  TritonText& text_;
  std::map<int, std::string> refused_;  // by line
};

}  // namespace

std::string TritonText::where(const std::string& path) const {
  const auto line = lines.find(path);
  return line == lines.end() ? file : fmt::format("{}:{}", file, line->second);
}

Error TritonText::error(const std::string& path, std::string_view words) const {
  return Error{Code::kInvalidArgument, fmt::format("{}: {}", where(path), words)};
}

Result<TritonText> parse_triton_text(const std::string& text, const std::string& file,
                                     triton::ModelConfig& into) {
  Locations locations;
  Complaints complaints(file);
  protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&complaints);
  parser.WriteLocationsTo(&locations);
  if (!parser.ParseFromString(text, &into)) {
    return complaints.error();
  }
  TritonText parsed;
  parsed.file = file;
  Review review(parsed);
  review.walk(into, locations, "");
  if (std::string refused = review.first_refused(); !refused.empty()) {
    return Error{Code::kUnsupported, std::move(refused)};
  }
  return parsed;
}

}  // namespace braid

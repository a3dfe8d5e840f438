#include "modality/volume/dicom/elements.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

constexpr std::uint32_t kItem = 0xFFFEE000;
constexpr std::uint32_t kSequenceEnd = 0xFFFEE0DD;
constexpr std::size_t kTextMax = 64;
constexpr std::size_t kDecimalsBytesMax = 4096;

Error wrong(std::string_view why) {
  return Error{Code::kInvalidArgument, fmt::format("the DICOM file {}", why)};
}

bool is_kind(std::string_view kind) {
  return kind[0] >= 'A' && kind[0] <= 'Z' && kind[1] >= 'A' && kind[1] <= 'Z';
}

/// Whose length has four bytes, behind two that are reserved.
bool is_long(std::string_view kind) {
  static constexpr std::string_view kLong[] = {"OB", "OD", "OF", "OL", "OV", "OW", "SQ",
                                               "SV", "UC", "UN", "UR", "UT", "UV"};
  for (const std::string_view each : kLong) {
    if (kind == each) {
      return true;
    }
  }
  return false;
}

std::string_view without_padding(std::string_view text) {
  constexpr std::string_view kPadding(" \0", 2);
  const std::size_t first = text.find_first_not_of(kPadding);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kPadding) - first + 1);
}

}  // namespace

Result<void> DicomElements::need(std::size_t count) {
  if (count > bytes_.size() - at_) {
    ran_out_ = true;
    return wrong("is cut short");
  }
  return {};
}

template <typename T>
T DicomElements::take() {
  const char* from = bytes_.data() + at_;
  at_ += sizeof(T);
  return encoding_.swapped ? load_value<T, true>(from) : load_value<T, false>(from);
}

bool DicomElements::is_at_group(std::uint16_t group) const {
  if (bytes_.size() - at_ < sizeof group) {
    return false;
  }
  const char* from = bytes_.data() + at_;
  return group == (encoding_.swapped ? load_value<std::uint16_t, true>(from)
                                     : load_value<std::uint16_t, false>(from));
}

Result<DicomElement> DicomElements::next() {
  if (++element_count_ > kElementsMax) {
    return Error{Code::kExhausted,
                 fmt::format("the DICOM file has more than {} elements", kElementsMax)};
  }
  BRAID_TRY_DO(need(8));
  DicomElement element;
  const auto group = take<std::uint16_t>();
  element.tag = std::uint32_t{group} << 16 | take<std::uint16_t>();
  const bool is_delimiter = group == 0xFFFE;
  if (is_delimiter || encoding_.is_implicit) {
    element.length = take<std::uint32_t>();
  } else {
    const std::string_view kind = bytes_.substr(at_, 2);
    if (!is_kind(kind)) {
      return wrong("is damaged: an element has no value representation");
    }
    element.kind = {kind[0], kind[1]};
    at_ += 2;
    if (is_long(kind)) {
      at_ += 2;
      BRAID_TRY_DO(need(4));
      element.length = take<std::uint32_t>();
    } else {
      element.length = take<std::uint16_t>();
    }
  }
  element.begin = at_;
  return element;
}

Result<Bytes> DicomElements::value(const DicomElement& element) {
  if (element.length == DicomElement::kUndefined) {
    return wrong("is damaged: a value has no length");
  }
  BRAID_TRY_DO(need(element.length));
  at_ += element.length;
  return bytes_.substr(element.begin, element.length);
}

Result<void> DicomElements::skip(const DicomElement& element) {
  if (element.length == DicomElement::kUndefined) {
    return skip_items(element);
  }
  BRAID_TRY_DO(value(element));
  return {};
}

// Called by skip() and calls it: sequences in sequences, of which each_item() counts the depth.
Result<void> DicomElements::skip_items(const DicomElement& sequence) {
  // What has an unknown kind and no length is written without kinds (PS3.5, 6.2.2).
  const DicomEncoding encoding = encoding_;
  if (sequence.kind == std::array{'U', 'N'}) {
    encoding_ = {.is_implicit = true, .swapped = false};
  }
  BRAID_TRY_DO(each_item(sequence, [&](std::optional<std::size_t> end) -> Result<void> {
    if (!end.has_value()) {
      return skip_undefined_item();
    }
    BRAID_TRY_DO(need(*end - at_));
    at_ = *end;
    return {};
  }));
  encoding_ = encoding;
  return {};
}

Result<void> DicomElements::skip_undefined_item() {
  while (true) {
    BRAID_TRY(const DicomElement element, next());
    if (element.tag == kDicomItemEnd) {
      return {};
    }
    BRAID_TRY_DO(skip(element));
  }
}

Result<DicomElements::Item> DicomElements::next_item() {
  BRAID_TRY(const DicomElement element, next());
  if (element.tag == kSequenceEnd) {
    return Item{.is_last = true, .end = {}};
  }
  if (element.tag != kItem) {
    return wrong("is damaged: a sequence has no item where one must be");
  }
  if (element.length == DicomElement::kUndefined) {
    return Item{};
  }
  return Item{.is_last = false, .end = at_ + element.length};
}

Result<std::uint16_t> DicomElements::short_number(const DicomElement& element) {
  if (element.length < sizeof(std::uint16_t) || element.length == DicomElement::kUndefined) {
    return wrong(fmt::format("has no number in element {:08X}", element.tag));
  }
  BRAID_TRY_DO(need(element.length));
  const auto number = take<std::uint16_t>();
  at_ = element.begin + element.length;
  return number;
}

Result<std::string> DicomElements::text(const DicomElement& element) {
  BRAID_TRY(const Bytes value, this->value(element));
  if (value.size() > kTextMax) {
    return wrong(fmt::format("has {} characters in element {:08X}; {} is the most", value.size(),
                             element.tag, kTextMax));
  }
  return std::string(without_padding(value));
}

Result<std::vector<double>> DicomElements::decimals(const DicomElement& element) {
  BRAID_TRY(Bytes value, this->value(element));
  std::vector<double> numbers;
  if (without_padding(value).empty()) {
    return numbers;  // known to be unknown: type 2 of DICOM
  }
  bool valid = value.size() <= kDecimalsBytesMax;
  for (bool is_last = false; valid && !is_last;) {
    const std::size_t end = value.find('\\');
    is_last = end == Bytes::npos;
    std::string_view each = without_padding(value.substr(0, end));
    each.remove_prefix(each.starts_with('+') ? 1 : 0);
    double number = 0;
    const auto [stop, failed] = std::from_chars(each.data(), each.data() + each.size(), number);
    valid = failed == std::errc() && stop == each.data() + each.size() && std::isfinite(number);
    numbers.push_back(number);
    value.remove_prefix(is_last ? value.size() : end + 1);
  }
  if (!valid) {
    return wrong(fmt::format("has what is no number in element {:08X}", element.tag));
  }
  return numbers;
}

}  // namespace braid

#pragma once
// Elements: a walk over the data elements of DICOM (PS3.5, chapter 7) that reads no value unless it
// is asked for one. It is what every byte of a stranger's file meets first.
// Threads: a value of one thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

struct DicomElement {
  static constexpr std::uint32_t kUndefined = 0xFFFFFFFF;

  std::uint32_t tag = 0;          // group and element: 0x00280010
  std::array<char, 2> kind = {};  // value representation; zeros when the file does not say it
  std::uint32_t length = 0;       // in bytes, or kUndefined
  std::size_t begin = 0;          // of its value
};

struct DicomEncoding {
  bool is_implicit = false;  // value representations are left out
  bool swapped = false;      // big-endian
};

class DicomElements {
 public:
  static constexpr std::size_t kElementsMax = 100'000;  // of one file
  static constexpr int kDepthMax = 16;                  // of sequences in sequences

  /// `bytes` may be only the start of a file.
  DicomElements(Bytes bytes, std::size_t begin, DicomEncoding encoding)
      : bytes_(bytes), at_(begin), encoding_(encoding) {}

  /// The next element's header; the walk then stands at its value. kInvalidArgument when the bytes
  /// end before or it is none.
  Result<DicomElement> next();
  /// Steps over the value, sequences with all that is in them.
  Result<void> skip(const DicomElement& element);
  /// Calls `work(end)` for each item of a sequence, with the walk at its first element and the
  /// place where the item ends: none when a delimiter ends it, up to which `work` must walk.
  template <typename Work>
  Result<void> each_item(const DicomElement& sequence, Work work);

  /// Values of the element where the walk stands, which steps over it.
  Result<std::uint16_t> short_number(const DicomElement& element);
  /// Decimal text, such as "0.5\0.5". kInvalidArgument when one is no number or not finite.
  Result<std::vector<double>> decimals(const DicomElement& element);
  /// Without padding. At most 64 characters, as all that is asked for has.
  Result<std::string> text(const DicomElement& element);
  /// The whole value, bytes as they are.
  Result<Bytes> value(const DicomElement& element);

  std::size_t at() const { return at_; }
  /// Whether the next element is of this group; no when the bytes end.
  bool is_at_group(std::uint16_t group) const;
  /// Whether an error came from bytes that are not there: a longer start may do.
  bool ran_out() const { return ran_out_; }

 private:
  struct Item {
    bool is_last = false;  // no item: the delimiter
    std::optional<std::size_t> end;
  };
  Result<Item> next_item();
  Result<void> skip_items(const DicomElement& sequence);
  Result<void> skip_undefined_item();
  Result<void> need(std::size_t count);
  template <typename T>
  T take();

  Bytes bytes_;
  std::size_t at_;
  DicomEncoding encoding_;
  std::size_t element_count_ = 0;
  int depth_ = 0;
  bool ran_out_ = false;
};

inline constexpr std::uint32_t kDicomItemEnd = 0xFFFEE00D;

template <typename Work>
Result<void> DicomElements::each_item(const DicomElement& sequence, Work work) {
  if (++depth_ > kDepthMax) {
    return Error{Code::kInvalidArgument, "the DICOM file nests sequences too deeply"};
  }
  const bool has_end = sequence.length != DicomElement::kUndefined;
  const std::size_t end = sequence.begin + sequence.length;
  while (!has_end || at_ < end) {
    BRAID_TRY(const Item item, next_item());
    if (item.is_last) {
      break;
    }
    BRAID_TRY_DO(work(item.end));
  }
  if (has_end && at_ > end) {
    return Error{Code::kInvalidArgument,
                 "the DICOM file has an item that is longer than its "
                 "sequence"};
  }
  --depth_;
  return {};
}

}  // namespace braid

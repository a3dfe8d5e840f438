#include "modality/volume/dicom/fragments.h"

#include <cstdint>

#include <fmt/format.h>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

constexpr std::size_t kHeadBytes = 8;  // tag and length
constexpr Bytes kItem("\xFE\xFF\x00\xE0", 4);
constexpr Bytes kEnd("\xFE\xFF\xDD\xE0", 4);

Error damaged() {
  return Error{Code::kInvalidArgument,
               "the fragments in which the pixels of the DICOM file lie are damaged or cut short"};
}

struct Fragment {
  std::size_t begin = 0;  // of its tag, from the first fragment on
  Bytes bytes;
};

struct Fragments {
  std::vector<std::size_t> offsets;  // where frames begin; empty when the file does not say
  std::vector<Fragment> fragments;
};

Result<Fragments> read_fragments(Bytes pixels) {
  Fragments result;
  std::size_t first = 0;
  bool is_table = true;  // the first item, also when it is empty
  for (std::size_t at = 0; true;) {
    if (pixels.size() - at < kHeadBytes) {
      return damaged();
    }
    const Bytes head = pixels.substr(at, kHeadBytes);
    if (head.starts_with(kEnd)) {
      return result;
    }
    const std::size_t size = load_value<std::uint32_t, false>(head.data() + 4);
    if (!head.starts_with(kItem) || size > pixels.size() - at - kHeadBytes) {
      return damaged();
    }
    const Bytes bytes = pixels.substr(at + kHeadBytes, size);
    if (is_table) {
      for (std::size_t i = 0; i + 4 <= size; i += 4) {
        result.offsets.push_back(load_value<std::uint32_t, false>(bytes.data() + i));
      }
      first = at + kHeadBytes + size;
      is_table = false;
    } else {
      result.fragments.push_back({at - first, bytes});
    }
    at += kHeadBytes + size;
  }
}

}  // namespace

Result<std::vector<Bytes>> frames_of_fragments(Bytes pixels, std::size_t frame_count,
                                               std::vector<std::string>& joined) {
  BRAID_TRY(const Fragments read, read_fragments(pixels));
  const std::vector<Fragment>& fragments = read.fragments;
  std::vector<Bytes> frames;
  if (fragments.size() == frame_count) {
    for (const Fragment& fragment : fragments) {
      frames.push_back(fragment.bytes);
    }
    return frames;
  }
  if (fragments.size() < frame_count) {
    return damaged();
  }
  if (frame_count > 1 && read.offsets.size() != frame_count) {
    return Error{Code::kUnsupported,
                 fmt::format("{} frames in {} fragments without a table of offsets are not read",
                             frame_count, fragments.size())};
  }
  joined.assign(frame_count, {});
  std::size_t frame = 0;
  for (const Fragment& fragment : fragments) {
    if (frame + 1 < frame_count && fragment.begin >= read.offsets[frame + 1]) {
      ++frame;
    }
    joined[frame] += fragment.bytes;
  }
  frames.assign(joined.begin(), joined.end());
  return frames;
}

}  // namespace braid

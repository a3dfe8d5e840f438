#include "modality/volume/dicom/header.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "modality/volume/dicom/elements.h"
#include "modality/volume/dicom/transfer_syntax.h"

namespace braid {
namespace {

constexpr std::size_t kPreambleBytes = 128;
constexpr Bytes kMark = "DICM";
constexpr std::int64_t kFramesMax = 65536;

Error wrong(const std::string& why) {
  return Error{Code::kInvalidArgument, fmt::format("the DICOM file {}", why)};
}

Error unsupported(const std::string& what) {
  return Error{Code::kUnsupported, fmt::format("a DICOM file {}", what)};
}

/// All that is read of a file, as it stands there.
struct Facts {
  DicomHeader header;
  DicomPlace place;  // of the file, or shared by its frames
  std::vector<DicomPlace> places;
  std::string kind;  // SOP class
  std::string colours;
  std::int64_t frame_count = 1;
  std::uint16_t samples = 1;
  std::uint16_t is_signed = 0;
  bool has_lookup_table = false;
  double slice_step = 0;
  double thickness = 0;
  const char* other_pixels = nullptr;
  bool has_pixels = false;
  bool in_words = false;  // pixels are written as 16-bit words
};

template <std::size_t n>
Result<std::optional<std::array<double, n>>> read_decimals(DicomElements& elements,
                                                           const DicomElement& element) {
  BRAID_TRY(const std::vector<double> numbers, elements.decimals(element));
  std::optional<std::array<double, n>> result;
  if (numbers.empty()) {
    return result;
  }
  if (numbers.size() != n) {
    return wrong(fmt::format("has {} numbers in element {:08X}, which has {}", numbers.size(),
                             element.tag, n));
  }
  result.emplace();
  std::ranges::copy(numbers, result->begin());
  return result;
}

Result<double> read_decimal(DicomElements& elements, const DicomElement& element, double fallback) {
  BRAID_TRY(const auto number, read_decimals<1>(elements, element));
  return number.has_value() ? number->front() : fallback;
}

Result<std::int64_t> read_frame_count(DicomElements& elements, const DicomElement& element) {
  BRAID_TRY(const double count, read_decimal(elements, element, 1));
  if (!(count >= 1 && count <= 2147483647) ||
      count != static_cast<double>(static_cast<std::int64_t>(count))) {
    return wrong("has a number of frames that is none");
  }
  return static_cast<std::int64_t>(count);
}

/// Reads elements up to `end`, or to the delimiter of the item when there is none. The same for the
/// file and for the sequences in which enhanced files put it.
class Reader {
 public:
  Reader(DicomElements& elements, Facts& facts) : elements_(elements), facts_(facts) {}

  Result<void> read(std::optional<std::size_t> end, DicomPlace& place) {
    while (!facts_.has_pixels && (!end.has_value() || elements_.at() < *end)) {
      BRAID_TRY(const DicomElement element, elements_.next());
      if (element.tag == kDicomItemEnd) {
        return {};
      }
      BRAID_TRY_DO(read_element(element, place));
    }
    return {};
  }

 private:
  Result<void> read_element(const DicomElement& element, DicomPlace& place) {
    switch (element.tag) {
      case 0x00200032:
        return into(place.position, read_decimals<3>(elements_, element));
      case 0x00200037:
        return into(place.orientation, read_decimals<6>(elements_, element));
      case 0x00280030:
        return into(place.spacing, read_decimals<2>(elements_, element));
      case 0x00281052:
        return into(place.intercept, read_decimal(elements_, element, 0));
      case 0x00281053:
        return into(place.slope, read_decimal(elements_, element, 1));
      case 0x00180050:
        return into(facts_.thickness, read_decimal(elements_, element, 0));
      case 0x00180088:
        return into(facts_.slice_step, read_decimal(elements_, element, 0));
      case 0x00209113:  // plane position
      case 0x00209116:  // plane orientation
      case 0x00289110:  // pixel measures
      case 0x00289145:  // pixel value transformation
      case 0x52009229:  // shared by all frames
        return elements_.each_item(
            element, [&](std::optional<std::size_t> end) { return read(end, place); });
      case 0x52009230:
        return read_each_frame(element);
      default:
        return read_of_file(element);
    }
  }

  Result<void> read_each_frame(const DicomElement& sequence) {
    return elements_.each_item(sequence, [&](std::optional<std::size_t> end) -> Result<void> {
      if (std::cmp_greater_equal(facts_.places.size(), kFramesMax)) {
        return Error{Code::kExhausted,
                     fmt::format("a DICOM file of more than {} frames", kFramesMax)};
      }
      facts_.places.push_back(facts_.place);
      return read(end, facts_.places.back());
    });
  }

  Result<void> read_of_file(const DicomElement& element) {
    DicomHeader& header = facts_.header;
    switch (element.tag) {
      case 0x00080016:
        return into(facts_.kind, elements_.text(element));
      case 0x0020000E:
        return into(header.series, elements_.text(element));
      case 0x00280002:
        return into(facts_.samples, elements_.short_number(element));
      case 0x00280004:
        return into(facts_.colours, elements_.text(element));
      case 0x00280008:
        return into(facts_.frame_count, read_frame_count(elements_, element));
      case 0x00280010:
        return into(header.rows, elements_.short_number(element));
      case 0x00280011:
        return into(header.columns, elements_.short_number(element));
      case 0x00280100:
        return into(header.bits_allocated, elements_.short_number(element));
      case 0x00280101:
        return into(header.bits_stored, elements_.short_number(element));
      case 0x00280102:
        return into(header.high_bit, elements_.short_number(element));
      case 0x00280103:
        return into(facts_.is_signed, elements_.short_number(element));
      case 0x00283000:
        facts_.has_lookup_table = true;
        return elements_.skip(element);
      case 0x7FE00008:
      case 0x7FE00009:
        facts_.other_pixels = "whose pixels are real numbers is not read; save them as integers";
        facts_.has_pixels = true;
        return {};
      case 0x7FE00010:
        facts_.has_pixels = true;
        facts_.in_words = element.kind == std::array{'O', 'W'};
        header.pixels_begin = element.begin;
        if (element.length != DicomElement::kUndefined) {
          header.pixels_size = element.length;
        }
        return {};
      default:
        return elements_.skip(element);
    }
  }

  template <typename Into, typename From>
  Result<void> into(Into& target, Result<From> value) {
    BRAID_TRY(target, std::move(value));
    return {};
  }

  DicomElements& elements_;
  Facts& facts_;
};

struct Meta {
  std::string syntax;  // transfer syntax
  std::string kind;    // of what is stored; empty when the file does not say
};

/// Group 0002, always explicit and little-endian. Only the group tells where it ends: what follows
/// may be written in another way.
Result<Meta> read_meta(DicomElements& elements) {
  Meta meta;
  while (elements.is_at_group(0x0002)) {
    BRAID_TRY(const DicomElement element, elements.next());
    if (element.tag == 0x00020010) {
      BRAID_TRY(meta.syntax, elements.text(element));
    } else if (element.tag == 0x00020002) {
      BRAID_TRY(meta.kind, elements.text(element));
    } else {
      BRAID_TRY_DO(elements.skip(element));
    }
  }
  return meta;
}

Result<void> check_kind(const Facts& facts) {
  if (facts.kind.starts_with("1.2.840.10008.5.1.4.1.1.66")) {
    return unsupported("that is a segmentation is not read; save the mask as NIfTI");
  }
  if (facts.kind == "1.2.840.10008.5.1.4.1.1.481.2") {
    return unsupported("of a radiotherapy dose is not read; save it as NIfTI");
  }
  if (facts.has_lookup_table) {
    return unsupported("with a modality lookup table is not read; only slope and intercept are");
  }
  if (!facts.has_pixels) {
    return unsupported("without pixels (a report, a plan, a curve) is no volume");
  }
  if (facts.other_pixels != nullptr) {
    return unsupported(facts.other_pixels);
  }
  static constexpr std::string_view kColours[] = {"RGB",          "PALETTE COLOR", "YBR_FULL",
                                                  "YBR_FULL_422", "YBR_ICT",       "YBR_RCT"};
  for (const std::string_view colours : kColours) {
    if (facts.colours == colours) {
      return unsupported(
          fmt::format("in colours ({}) is not read; convert it to one channel", colours));
    }
  }
  if (facts.samples != 1) {
    return unsupported(fmt::format("of {} samples a pixel is not read; 1 is", facts.samples));
  }
  if (facts.colours != "MONOCHROME1" && facts.colours != "MONOCHROME2") {
    return wrong("has a photometric interpretation that is none of DICOM's");
  }
  return {};
}

Result<void> check_bits(const Facts& facts) {
  const DicomHeader& header = facts.header;
  const unsigned allocated = header.bits_allocated;
  if (allocated == 1 || allocated == 12 || allocated == 64) {
    return unsupported(fmt::format("of {} bits a pixel is not read; 8, 16 and 32 are", allocated));
  }
  const bool fits = (allocated == 8 || allocated == 16 || allocated == 32) &&
                    header.bits_stored >= 1 && header.bits_stored <= allocated &&
                    header.high_bit < allocated && header.high_bit + 1 >= header.bits_stored &&
                    facts.is_signed <= 1;
  if (!fits) {
    return wrong(
        fmt::format("contradicts itself: {} bits allocated, {} stored, high bit {}, pixel "
                    "representation {}",
                    allocated, header.bits_stored, header.high_bit, facts.is_signed));
  }
  if (header.swapped && facts.in_words && allocated == 8) {
    return unsupported("of 8-bit pixels in big-endian words is not read; save it little-endian");
  }
  if (header.packing != DicomPacking::kNative &&
      (header.high_bit + 1 != header.bits_stored || allocated == 32)) {
    return unsupported(fmt::format("packed with {} of {} bits and high bit {} is not read",
                                   header.bits_stored, allocated, header.high_bit));
  }
  return {};
}

/// rows × columns × frames, before anything is allocated.
Result<void> check_size(const Facts& facts, std::int64_t voxels_max) {
  const DicomHeader& header = facts.header;
  if (header.rows == 0 || header.columns == 0) {
    return wrong(fmt::format("has {} rows and {} columns", header.rows, header.columns));
  }
  const auto voxels = static_cast<std::int64_t>(header.frame_voxels());
  if (facts.frame_count > voxels_max / voxels) {
    return Error{Code::kExhausted,
                 fmt::format("the DICOM file has {} × {} × {} voxels; voxels_max is {}",
                             facts.frame_count, header.rows, header.columns, voxels_max)};
  }
  if (header.pixels_size.has_value() != (header.packing == DicomPacking::kNative)) {
    return wrong("contradicts itself: its pixels are not packed as its transfer syntax says");
  }
  const auto wanted = static_cast<std::int64_t>(header.frame_bytes()) * facts.frame_count;
  if (header.pixels_size.has_value() &&
      (std::cmp_less(*header.pixels_size, wanted) ||
       std::cmp_greater(*header.pixels_size, wanted + 1 + wanted / 64))) {
    return wrong(fmt::format("has {} bytes of pixels; {} × {} × {} of {} bits are {}",
                             *header.pixels_size, facts.frame_count, header.rows, header.columns,
                             header.bits_allocated, wanted));
  }
  return {};
}

Result<void> place_frames(Facts& facts) {
  if (facts.places.empty() && facts.frame_count == 1) {
    facts.places.push_back(facts.place);
  }
  if (facts.places.empty()) {
    return unsupported(
        fmt::format("of {} frames that does not say where each of them lies is not "
                    "read; only enhanced ones and single frames are",
                    facts.frame_count));
  }
  if (std::cmp_not_equal(facts.places.size(), facts.frame_count)) {
    return wrong(
        fmt::format("says places of {} frames and has {}", facts.places.size(), facts.frame_count));
  }
  facts.header.frames = std::move(facts.places);
  return {};
}

Result<DicomHeader> checked(Facts facts, std::int64_t voxels_max) {
  BRAID_TRY_DO(check_kind(facts));
  BRAID_TRY_DO(check_bits(facts));
  BRAID_TRY_DO(check_size(facts, voxels_max));
  BRAID_TRY_DO(place_frames(facts));
  facts.header.is_signed = facts.is_signed == 1;
  facts.header.is_monochrome1 = facts.colours == "MONOCHROME1";
  facts.header.thickness = facts.slice_step > 0 ? facts.slice_step : facts.thickness;
  return std::move(facts.header);
}

/// An error when it may be one of bytes that are not there, else no header.
Result<DicomStart> more_or(Error error, const DicomElements& elements, bool is_whole) {
  if (elements.ran_out() && !is_whole) {
    return DicomStart{};
  }
  return error;
}

}  // namespace

bool is_dicom(Bytes raw) {
  return raw.size() >= kPreambleBytes + kMark.size() &&
         raw.substr(kPreambleBytes).starts_with(kMark);
}

Result<DicomStart> read_dicom_header(Bytes start, bool is_whole, std::int64_t voxels_max) {
  DicomElements meta(start, kPreambleBytes + kMark.size(), DicomEncoding{});
  Facts facts;
  const auto said = read_meta(meta);
  if (!said.has_value()) {
    return more_or(said.error(), meta, is_whole);
  }
  if (said->kind == "1.2.840.10008.1.3.10") {
    return DicomStart{{}, true};
  }
  if (said->syntax.empty()) {
    return wrong("says no transfer syntax");
  }
  BRAID_TRY(const DicomSyntax syntax, dicom_syntax(said->syntax));
  facts.header.transfer_syntax = said->syntax;
  facts.header.packing = syntax.packing;
  facts.header.swapped = syntax.encoding.swapped;
  DicomElements elements(start, meta.at(), syntax.encoding);
  const auto read = Reader(elements, facts).read(start.size(), facts.place);
  if (!read.has_value()) {
    return more_or(read.error(), elements, is_whole);
  }
  if (!facts.has_pixels && !is_whole) {
    return DicomStart{};
  }
  BRAID_TRY(DicomHeader header, checked(std::move(facts), voxels_max));
  return DicomStart{std::move(header), false};
}

}  // namespace braid

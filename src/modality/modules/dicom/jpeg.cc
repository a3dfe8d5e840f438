// GDCM sees a DICOM file that we write: the numbers that describe the picture, and the codestream.
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <gdcmImage.h>
#include <gdcmImageReader.h>
#include <gdcmTrace.h>

#include "modality/modules/dicom/decoders.h"

namespace braid {
namespace {

constexpr std::size_t kSpareBytes = 4096;

/// Explicit value representation, little-endian.
class FileWriter {
 public:
  void number(std::uint32_t value, std::size_t byte_count) {
    for (std::size_t i = 0; i < byte_count; ++i) {
      file_ += static_cast<char>(value >> (8 * i) & 0xFF);
    }
  }

  void tag(std::uint16_t group, std::uint16_t element, std::string_view kind) {
    number(group, 2);
    number(element, 2);
    file_ += kind;
  }

  void text(std::uint16_t group, std::uint16_t element, std::string_view kind,
            std::string_view value) {
    tag(group, element, kind);
    number(static_cast<std::uint32_t>(value.size() + value.size() % 2), 2);
    file_ += value;
    file_.append(value.size() % 2, kind == "UI" ? '\0' : ' ');
  }

  void short_number(std::uint16_t group, std::uint16_t element, std::uint16_t value) {
    tag(group, element, "US");
    number(2, 2);
    number(value, 2);
  }

  /// One frame in one fragment, behind a table of offsets that is empty.
  void pixels(std::string_view codestream) {
    constexpr std::string_view kItem("\xFE\xFF\x00\xE0", 4);
    tag(0x7FE0, 0x0010, "OB");
    number(0, 2);
    number(0xFFFFFFFF, 4);
    file_ += kItem;
    number(0, 4);
    file_ += kItem;
    number(static_cast<std::uint32_t>(codestream.size() + codestream.size() % 2), 4);
    file_ += codestream;
    file_.append(codestream.size() % 2, '\0');
    file_.append("\xFE\xFF\xDD\xE0\0\0\0\0", 8);
  }

  void raw(std::string_view bytes) { file_ += bytes; }
  std::string take() { return std::move(file_); }

 private:
  std::string file_;
};

std::string file_of(const DicomFrame& frame) {
  constexpr std::string_view kSecondaryCapture = "1.2.840.10008.5.1.4.1.1.7";
  constexpr std::string_view kNoInstance = "2.25.1";
  FileWriter meta;
  meta.text(0x0002, 0x0002, "UI", kSecondaryCapture);
  meta.text(0x0002, 0x0003, "UI", kNoInstance);
  meta.text(0x0002, 0x0010, "UI", frame.transfer_syntax);
  const std::string group = meta.take();
  FileWriter file;
  file.raw(std::string(128, '\0') + "DICM");
  file.tag(0x0002, 0x0000, "UL");
  file.number(4, 2);
  file.number(static_cast<std::uint32_t>(group.size()), 4);
  file.raw(group);
  file.text(0x0008, 0x0016, "UI", kSecondaryCapture);
  file.text(0x0008, 0x0018, "UI", kNoInstance);
  file.short_number(0x0028, 0x0002, 1);
  file.text(0x0028, 0x0004, "CS", "MONOCHROME2");
  file.short_number(0x0028, 0x0010, frame.rows);
  file.short_number(0x0028, 0x0011, frame.columns);
  file.short_number(0x0028, 0x0100, frame.bits_allocated);
  file.short_number(0x0028, 0x0101, frame.bits_stored);
  file.short_number(0x0028, 0x0102, static_cast<std::uint16_t>(frame.bits_stored - 1));
  file.short_number(0x0028, 0x0103, frame.is_signed ? 1 : 0);
  file.pixels({frame.codestream, frame.codestream_size});
  return file.take();
}

}  // namespace

DicomDecoded decode_jpeg(const DicomFrame& frame, char* into, std::size_t into_size) {
  static const bool quiet = [] {
    gdcm::Trace::DebugOff();
    gdcm::Trace::WarningOff();
    gdcm::Trace::ErrorOff();
    return true;
  }();
  std::istringstream stream(file_of(frame));
  gdcm::ImageReader reader;
  reader.SetStream(stream);
  if (!quiet || !reader.Read()) {
    return DicomDecoded::kDamaged;
  }
  const gdcm::Image& image = reader.GetImage();
  const unsigned int* extents = image.GetDimensions();
  const bool fits = image.GetNumberOfDimensions() == 2 && extents[0] == frame.columns &&
                    extents[1] == frame.rows && image.GetBufferLength() == into_size;
  if (!fits) {
    return DicomDecoded::kDamaged;
  }
  // GDCM copies as many bytes as its codec gives, not as many as there is room for: twice as many
  // when the codec sees 16 bits where the file says 8.
  const std::size_t room = into_size * 2 + kSpareBytes;
  const auto decoded = std::make_unique_for_overwrite<char[]>(room);
  if (!image.GetBuffer(decoded.get()) || image.GetBufferLength() != into_size) {
    return DicomDecoded::kDamaged;
  }
  std::copy_n(decoded.get(), into_size, into);
  return DicomDecoded::kDone;
}

}  // namespace braid

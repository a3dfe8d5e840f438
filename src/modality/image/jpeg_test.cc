// What Pillow cannot write for a golden: hostile JPEGs, made with libjpeg itself.

#include <cstdio>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>

#include "base/file.h"
#include "modality/image/decode.h"

namespace braid {
namespace {

using testing::HasSubstr;

/// A grey progressive file of 8 × 8 pixels: a scan for the upper bits of each coefficient, then one
/// for its last bit, `scan_count` in all, of at most 128.
std::string with_scans(int scan_count) {
  std::vector<jpeg_scan_info> scans;
  for (int i = 0; i < scan_count; ++i) {
    jpeg_scan_info scan = {};
    scan.comps_in_scan = 1;
    scan.Ss = scan.Se = i % 64;
    scan.Ah = i / 64;
    scan.Al = 1 - scan.Ah;
    scans.push_back(scan);
  }
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = 8;
  info.image_height = 8;
  info.input_components = 1;
  info.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&info);
  info.scan_info = scans.data();
  info.num_scans = scan_count;
  jpeg_start_compress(&info, TRUE);
  for (unsigned char y = 0; y < 8; ++y) {
    unsigned char line[8] = {0, 30, 60, 90, y, 150, 180, 210};
    JSAMPROW row = line;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return file;
}

// Each scan is a pass over the whole picture and costs a few bytes: an amplifier.
TEST(Jpeg, RefusesMoreScansThanEncodersWrite) {
  EXPECT_TRUE(decode_jpeg(with_scans(64), {}).has_value());
  const Error error = decode_jpeg(with_scans(65), {}).error();
  EXPECT_EQ(error.code, Code::kExhausted);
  EXPECT_THAT(error.describe(), HasSubstr("more than 64 scans"));
}

TEST(Jpeg, CallsAnotherKindOfJpegUnsupported) {
  std::string deep = with_scans(1);
  const std::size_t frame = deep.find("\xFF\xC2");
  ASSERT_NE(frame, std::string::npos);
  deep[frame + 4] = 12;  // bits a sample
  EXPECT_EQ(decode_jpeg(deep, {}).error().code, Code::kUnsupported);
  deep[frame + 4] = 8;
  deep[frame + 1] = '\xC3';  // lossless
  EXPECT_EQ(decode_jpeg(deep, {}).error().code, Code::kUnsupported);
}

TEST(Jpeg, CountsPixelsBeforeItAllocatesThem) {
  std::string wide = with_scans(1);
  const std::size_t frame = wide.find("\xFF\xC2");
  wide.replace(frame + 5, 4, "\xFD\xE8\xFD\xE8");  // 65,000 × 65,000
  const Error error = decode_jpeg(wide, {}).error();
  EXPECT_EQ(error.code, Code::kExhausted);
  EXPECT_THAT(error.describe(), HasSubstr("65000 × 65000 pixels; pixels_max is 67108864"));
}

}  // namespace
}  // namespace braid

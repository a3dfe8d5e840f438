// Image: a JPEG or PNG to one tensor `image` FP32 [1, channels, height, width], the same numbers as
// Pillow's. In this order: decode, EXIF turn, lay on the background, grey, pad, resize, crop,
// scale, normalise. docs/decisions/0021-pictures.md says why.

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "modality/image/compose.h"
#include "modality/image/decode.h"
#include "modality/image/exif.h"
#include "modality/image/image_options.h"
#include "modality/image/quality.h"
#include "modality/image/resize.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

class Image final : public Preprocessor {
 public:
  explicit Image(ImageOptions options)
      : options_(std::move(options)), normaliser_(options_.normalise) {}

  Result<Encoded> encode(Bytes raw) const override {
    if (std::cmp_greater(raw.size(), options_.bytes_max)) {
      return Error{Code::kExhausted, fmt::format("the picture has {} bytes; bytes_max is {}",
                                                 raw.size(), options_.bytes_max)};
    }
    BRAID_TRY(Decoded decoded, decode_picture(raw, options_.decode));
    Picture picture = std::move(decoded.picture);
    if (options_.exif) {
      picture = turned(std::move(picture), decoded.orientation);
    }
    if (decoded.has_alpha) {
      lay_on(options_.background, picture);
    }
    Encoded encoded;
    encoded.quality = quality(picture);
    BRAID_TRY(picture, composed(std::move(picture)));
    BRAID_TRY(Tensor tensor, resized(picture));
    encoded.tensors.push_back({"image", std::move(tensor)});
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    const bool free = options_.framing.fit == Fit::kShorterSide;
    const auto side = [&](std::size_t pixels) {
      return free ? -1 : static_cast<std::int64_t>(pixels);
    };
    const std::int64_t height = side(options_.framing.size.height);
    const std::int64_t width = side(options_.framing.size.width);
    const auto channels = static_cast<std::int64_t>(normaliser_.channel_count());
    if (options_.normalise.channels_last) {
      return {{"image", DType::kFp32, {1, height, width, channels}}};
    }
    return {{"image", DType::kFp32, {1, channels, height, width}}};
  }

 private:
  static std::vector<std::pair<std::string, double>> quality(const Picture& picture) {
    const PictureQuality quality = measure_quality(picture);
    return {{"width", static_cast<double>(picture.width())},
            {"height", static_cast<double>(picture.height())},
            {"blur", quality.blur},
            {"brightness", quality.brightness},
            {"clipped", quality.clipped}};
  }

  Result<Picture> composed(Picture picture) const {
    if (options_.pad_square) {
      const std::size_t side = std::max(picture.width(), picture.height());
      BRAID_TRY_DO(check_pixels({side, side}, options_.decode).within("padded to a square"));
      picture = padded_to_square(std::move(picture), options_.background);
    }
    if (options_.normalise.channels == Channels::kGrey) {
      turn_grey(picture);
    }
    return picture;
  }

  Result<Tensor> resized(const Picture& picture) const {
    BRAID_TRY(const Framed frame,
              framed(picture.extent(), options_.framing, options_.decode.pixels_max));
    const Extent size = frame.window.extent;
    const std::size_t channels = normaliser_.channel_count();
    const Shape shape = options_.normalise.channels_last
                            ? Shape{1, size.height, size.width, channels}
                            : Shape{1, channels, size.height, size.width};
    BRAID_TRY(Tensor tensor, Tensor::zeros(DType::kFp32, shape));
    const std::span<float> values = tensor.mutable_values<float>();
    resize(picture, frame, options_.resampling,
           [&](std::size_t row_index, const std::uint8_t* pixels) {
             normaliser_.write_row(row_index, pixels, size, values);
           });
    return tensor;
  }

  const ImageOptions options_;
  const Normaliser normaliser_;
};

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(ImageOptions options, read_image_options(settings));
  return std::unique_ptr<Preprocessor>(std::make_unique<Image>(std::move(options)));
}

}  // namespace

void register_image(Registry<Preprocessor>& registry) { registry.add("image", open); }

}  // namespace braid

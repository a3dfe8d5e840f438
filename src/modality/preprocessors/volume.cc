// Volume: a NIfTI (.nii, .nii.gz), NPY or DICOM file or series to one tensor `volume` FP32
// [1, channels, depth, height, width], the same numbers as nibabel's and scipy's. In this order:
// turn, resample, cut, window, z-score, mean and std, pad. docs/decisions/0022-volumes.md says why.

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "modality/preprocessor.h"
#include "modality/volume/grid.h"
#include "modality/volume/intensity.h"
#include "modality/volume/read_volume.h"
#include "modality/volume/resample.h"
#include "modality/volume/volume_options.h"

namespace braid {
namespace {

/// Of a tensor with the grid's extents, row-major.
std::size_t values_of(const Grid& grid) {
  return grid.axes[0].extent * grid.axes[1].extent * grid.axes[2].extent;
}

std::size_t samples_of(const Grid& grid) {
  return grid.axes[0].samples.size() * grid.axes[1].samples.size() * grid.axes[2].samples.size();
}

/// Puts the shown part into its place in a tensor of which the rest stays as it is.
void place(const Grid& grid, std::span<const float> shown, std::span<float> tensor) {
  const auto& [depth, height, width] = grid.axes;
  const std::size_t row = width.samples.size();
  for (std::size_t z = 0; z < depth.samples.size(); ++z) {
    for (std::size_t y = 0; y < height.samples.size(); ++y) {
      const std::size_t from = (z * height.samples.size() + y) * row;
      const std::size_t to =
          ((z + depth.shown_at) * height.extent + y + height.shown_at) * width.extent;
      std::ranges::copy(shown.subspan(from, row), tensor.subspan(to + width.shown_at).begin());
    }
  }
}

class Volume final : public Preprocessor {
 public:
  explicit Volume(VolumeOptions options) : options_(std::move(options)) {}

  Result<Encoded> encode(Bytes raw) const override {
    BRAID_TRY(const Voxels voxels, read_volume(raw, options_.limits, options_.dicom));
    if (voxels.layout.channel_count != options_.channel_count) {
      return Error{Code::kInvalidArgument,
                   fmt::format("the file holds {} volumes; 'channels' is {}",
                               voxels.layout.channel_count, options_.channel_count)};
    }
    BRAID_TRY(const Grid grid, make_grid(voxels.layout, options_.grid, options_.limits));
    const Shape shape = {1, options_.channel_count, grid.axes[0].extent, grid.axes[1].extent,
                         grid.axes[2].extent};
    BRAID_TRY(Tensor tensor, Tensor::zeros(DType::kFp32, shape));
    IntensityFacts facts;
    const std::span<float> values = tensor.mutable_values<float>();
    for (std::size_t channel = 0; channel < options_.channel_count; ++channel) {
      const IntensityFacts each = encode_channel(
          voxels, channel, grid, values.subspan(channel * values_of(grid), values_of(grid)));
      facts = channel == 0 ? each : facts;
    }
    Encoded encoded;
    encoded.quality = quality(voxels, grid, facts);
    encoded.tensors.push_back({"volume", std::move(tensor)});
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    TensorSpec spec{
        "volume", DType::kFp32, {1, static_cast<std::int64_t>(options_.channel_count), -1, -1, -1}};
    for (std::size_t axis = 0; options_.grid.size.has_value() && axis < 3; ++axis) {
      spec.shape[axis + 2] = static_cast<std::int64_t>((*options_.grid.size)[axis]);
    }
    return {spec};
  }

 private:
  IntensityFacts encode_channel(const Voxels& voxels, std::size_t channel_index, const Grid& grid,
                                std::span<float> tensor) const {
    if (samples_of(grid) == tensor.size()) {
      resample(voxels, channel_index, grid, options_.fill, tensor);
      return apply_intensity(options_.intensity, tensor);
    }
    std::vector<float> shown(samples_of(grid));
    resample(voxels, channel_index, grid, options_.fill, shown);
    const IntensityFacts facts = apply_intensity(options_.intensity, shown);
    std::ranges::fill(tensor, static_cast<float>(options_.pad));
    place(grid, shown, tensor);
    return facts;
  }

  /// Extents and spacing are the file's, in the order of the tensor's axes; values are those shown,
  /// of the first channel, in the file's units.
  static std::vector<std::pair<std::string, double>> quality(const Voxels& voxels, const Grid& grid,
                                                             const IntensityFacts& facts) {
    static constexpr const char* kAxes[] = {"depth", "height", "width"};
    std::vector<std::pair<std::string, double>> quality;
    double count = static_cast<double>(voxels.layout.channel_count);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      quality.emplace_back(kAxes[axis], static_cast<double>(grid.axes[axis].source.extent));
      count *= quality.back().second;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      quality.emplace_back(std::string("spacing_") + kAxes[axis], grid.axes[axis].spacing);
    }
    quality.emplace_back("oblique_degrees", grid.oblique_degrees);
    quality.emplace_back("min", facts.min);
    quality.emplace_back("max", facts.max);
    quality.emplace_back("mean", facts.mean);
    quality.emplace_back("std", facts.std);
    quality.emplace_back("clipped", facts.clipped);
    quality.emplace_back("nan_share", static_cast<double>(count_not_finite(voxels)) / count);
    return quality;
  }

  const VolumeOptions options_;
};

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(VolumeOptions options, read_volume_options(settings));
  return std::unique_ptr<Preprocessor>(std::make_unique<Volume>(std::move(options)));
}

}  // namespace

void register_volume(Registry<Preprocessor>& registry) { registry.add("volume", open); }

}  // namespace braid

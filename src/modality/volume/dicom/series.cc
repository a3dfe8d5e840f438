#include "modality/volume/dicom/series.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace braid {
namespace {

using Vector = std::array<double, 3>;

constexpr double kCosineOff = 1e-3;     // of a direction's length from 1, of a right angle from 0
constexpr double kDirectionOff = 1e-4;  // between the slices of a series
constexpr double kStepOff = 0.01;       // of the median step, and millimetres

Error wrong(const std::string& why) {
  return Error{Code::kInvalidArgument, fmt::format("the DICOM series {}", why)};
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The axes of a slice: along a row, along a column, and behind it.
struct Axes {
  Vector row;
  Vector column;
  Vector normal;
};

Result<Axes> axes_of(const std::array<double, 6>& orientation) {
  Axes axes;
  std::copy_n(orientation.begin(), 3, axes.row.begin());
  std::copy_n(orientation.begin() + 3, 3, axes.column.begin());
  axes.normal = cross(axes.row, axes.column);
  const bool valid = std::abs(dot(axes.row, axes.row) - 1) < kCosineOff &&
                     std::abs(dot(axes.column, axes.column) - 1) < kCosineOff &&
                     std::abs(dot(axes.row, axes.column)) < kCosineOff;
  if (!valid) {
    return wrong("has an ImageOrientationPatient that is not two directions at a right angle");
  }
  return axes;
}

bool is_placed(const DicomPlace& place) {
  return place.position.has_value() && place.orientation.has_value() && place.spacing.has_value();
}

Result<void> check_frames(const std::vector<DicomPlace>& frames) {
  const DicomPlace& first = frames.front();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const DicomPlace& frame = frames[i];
    if (!is_placed(frame)) {
      return wrong(
          fmt::format("has slice {} without ImagePositionPatient, ImageOrientationPatient "
                      "or PixelSpacing; all three are needed to put it into its place",
                      i + 1));
    }
    if (!((*frame.spacing)[0] > 0) || !((*frame.spacing)[1] > 0)) {
      return wrong(fmt::format("has a PixelSpacing of {:.6g} × {:.6g} mm in slice {}",
                               (*frame.spacing)[0], (*frame.spacing)[1], i + 1));
    }
    for (std::size_t k = 0; k < 6; ++k) {
      if (std::abs((*frame.orientation)[k] - (*first.orientation)[k]) > kDirectionOff) {
        return wrong(
            fmt::format("has slices in several directions (the first and number {}): send "
                        "one series without its localizer",
                        i + 1));
      }
    }
    for (std::size_t k = 0; k < 2; ++k) {
      if (std::abs((*frame.spacing)[k] - (*first.spacing)[k]) > 1e-4 * (*first.spacing)[k]) {
        return wrong(fmt::format("mixes pixel spacings: {:.6g} and {:.6g} mm", (*first.spacing)[k],
                                 (*frame.spacing)[k]));
      }
    }
  }
  return {};
}

/// `depths`: of the slices along the normal, sorted. The step between neighbours.
Result<double> step_of(const std::vector<double>& depths) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < depths.size(); ++i) {
    steps.push_back(depths[i] - depths[i - 1]);
  }
  std::vector<double> sorted = steps;
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  const double tolerance = std::max(kStepOff * median, kStepOff);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] < kStepOff / 2) {
      return wrong(
          fmt::format("has two slices in one place, {:.6g} mm along the normal: send one of "
                      "them; several phases or echoes are several volumes",
                      depths[i]));
    }
    if (std::abs(steps[i] - median) <= tolerance) {
      continue;
    }
    const double times = std::round(steps[i] / median);
    if (times >= 2 && std::abs(steps[i] - times * median) <= tolerance * times) {
      return wrong(
          fmt::format("lacks {} slices between the slices {} and {}: they are {:.6g} mm "
                      "apart, the others {:.6g} mm",
                      times - 1, i + 1, i + 2, steps[i], median));
    }
    return wrong(
        fmt::format("is irregular: the slices {} and {} are {:.6g} mm apart, others {:.6g} mm; "
                    "resample it to even steps",
                    i + 1, i + 2, steps[i], median));
  }
  return (depths.back() - depths.front()) / static_cast<double>(steps.size());
}

/// Whether slice `last` lies behind `first`, not beside it.
Result<void> check_tilt(const DicomPlace& first, const DicomPlace& last, const Axes& axes) {
  Vector way;
  for (std::size_t i = 0; i < 3; ++i) {
    way[i] = (*last.position)[i] - (*first.position)[i];
  }
  const double sideways = std::hypot(dot(way, axes.row), dot(way, axes.column));
  const double behind = dot(way, axes.normal);
  const double allowed = std::max(0.01 * std::abs(behind), 0.1);  // half a degree
  if (sideways > allowed) {
    return Error{
        Code::kUnsupported,
        fmt::format("a DICOM series of which the slices are shifted sideways, by {:.4g} mm "
                    "over {:.4g} mm, as with a tilted gantry, is not read: straighten it",
                    sideways, behind)};
  }
  return {};
}

Affine affine_of(const DicomPlace& first, const Axes& axes, double step) {
  Affine affine;
  const std::array<double, 2> spacing = *first.spacing;
  for (std::size_t row = 0; row < 3; ++row) {
    const double sign = row < 2 ? -1 : 1;  // DICOM counts to the left and to the back
    affine[row] = {sign * axes.row[row] * spacing[1], sign * axes.column[row] * spacing[0],
                   sign * axes.normal[row] * step, sign * (*first.position)[row]};
  }
  return affine;
}

}  // namespace

Result<DicomSeries> order_series(const std::vector<DicomPlace>& frames, double thickness) {
  DicomSeries series;
  series.order.resize(frames.size());
  std::iota(series.order.begin(), series.order.end(), std::size_t{0});
  const DicomPlace& first = frames.front();
  if (frames.size() == 1 && !first.position.has_value() && !first.orientation.has_value()) {
    return series;
  }
  BRAID_TRY_DO(check_frames(frames));
  BRAID_TRY(const Axes axes, axes_of(*first.orientation));
  const auto depth = [&](std::size_t i) { return dot(*frames[i].position, axes.normal); };
  std::ranges::stable_sort(series.order, {}, depth);
  double step = thickness > 0 ? thickness : 1;
  if (frames.size() > 1) {
    std::vector<double> depths;
    for (const std::size_t i : series.order) {
      depths.push_back(depth(i));
    }
    BRAID_TRY(step, step_of(depths));
    for (const std::size_t i : series.order) {
      BRAID_TRY_DO(check_tilt(frames[series.order.front()], frames[i], axes));
    }
  }
  series.affine = affine_of(frames[series.order.front()], axes, step);
  return series;
}

Result<void> check_same_series(const DicomHeader& first, const DicomHeader& other) {
  if (other.series != first.series) {
    return wrong("is a mix: files have several SeriesInstanceUID; send one series");
  }
  if (other.rows != first.rows || other.columns != first.columns) {
    return wrong(fmt::format("mixes slices of {} × {} and of {} × {} pixels", first.rows,
                             first.columns, other.rows, other.columns));
  }
  if (other.bits_allocated != first.bits_allocated || other.is_signed != first.is_signed ||
      other.is_monochrome1 != first.is_monochrome1) {
    return wrong(
        "mixes slices of several kinds of pixels: bits, signs or photometric "
        "interpretations differ");
  }
  return {};
}

}  // namespace braid

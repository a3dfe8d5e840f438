#pragma once
// Series: frames of DICOM in the order in which they lie in the patient, which is that of
// ImagePositionPatient along the normal of the slices and never InstanceNumber. Pure arithmetic.
// Threads: pure functions.

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "modality/volume/affine.h"
#include "modality/volume/dicom/header.h"

namespace braid {

struct DicomSeries {
  std::vector<std::size_t> order;  // indexes of frames, along the normal
  std::optional<Affine> affine;    // of [column, row, slice] to RAS; none for a lone frame without
                                   // a place, such as an X-ray
};

/// kInvalidArgument, with numbers and the cure, for frames in several directions or of several
/// pixel spacings, without places, two in one place, missing or irregular ones; kUnsupported for
/// slices that do not lie behind each other (a tilted gantry). A step may differ from the others by
/// 1 % or 0.01 mm, whichever is more.
Result<DicomSeries> order_series(const std::vector<DicomPlace>& frames, double thickness);

/// kInvalidArgument when two files are not of one series or differ in size or bits.
Result<void> check_same_series(const DicomHeader& first, const DicomHeader& other);

}  // namespace braid

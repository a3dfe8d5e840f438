#pragma once
// Fragments: compressed pixels lie in a DICOM file in pieces (PS3.5, annex A.4). Threads: a pure
// function.

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace braid {

/// The bytes of each of `frame_count` frames; `pixels` begin behind the header of the element.
/// A frame in several fragments is joined into `joined`, which must outlive the result.
/// kUnsupported when it is not plain which fragments belong to which frame; kInvalidArgument when
/// they are damaged.
Result<std::vector<Bytes>> frames_of_fragments(Bytes pixels, std::size_t frame_count,
                                               std::vector<std::string>& joined);

}  // namespace braid

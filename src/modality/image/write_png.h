#pragma once
// write_png: a picture to a file that people can look at. Threads: a pure function.

#include <string>

#include "base/result.h"
#include "modality/image/picture.h"

namespace braid {

/// RGBA, 8 bits. kExhausted when there is no memory or more than PNG's 2^31 pixels a side.
Result<std::string> write_png(const Picture& picture);

}  // namespace braid

#pragma once
// Bytes: borrowed raw input, as it came from a client or a file.

#include <string_view>

namespace braid {

/// Not text: any bytes. A view, since most libraries take char pointers.
using Bytes = std::string_view;

}  // namespace braid

#pragma once
// What XGBoost says of a failure, as one line: it writes a time, a source file and a stack trace.

#include <string>

namespace braid {

/// "[12:00:36] /src/io.cc:123: words\nStack trace: …" → "words".
std::string xgboost_words(std::string text);

}  // namespace braid

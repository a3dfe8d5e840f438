// Any bytes as what a server sends, in pieces as the first byte says: it must never crash, and what
// is read must not depend on the pieces.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/load/answer_reader.h"

namespace {

using Step = braid::AnswerReader::Step;

std::string read_all(std::string_view bytes, std::size_t piece) {
  braid::AnswerReader reader(512);
  std::string told;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    const std::size_t given = part.size();
    const Step step = reader.take(part);
    bytes.remove_prefix(given - part.size());
    if (step == Step::kFailed) {
      return told + "failed: " + reader.failure();
    }
    if (step == Step::kAnswer) {
      told += std::to_string(reader.status()) + ' ' + std::to_string(reader.body_size_bytes()) +
              ' ' + std::string(reader.body()) + (reader.keep_alive() ? " k\n" : " c\n");
      reader.reset();
    } else {
      BRAID_CHECK(part.empty());
    }
  }
  told += reader.end() == Step::kAnswer ? "ended " : "cut ";
  return told + std::string(reader.body()) + reader.failure();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  BRAID_CHECK(read_all(bytes, bytes.size() + 1) == read_all(bytes, data[0] % 64 + 1U));
  return 0;
}

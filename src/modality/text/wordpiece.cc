#include "modality/text/wordpiece.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/file.h"
#include "modality/text/utf8.h"

namespace braid {
namespace {

constexpr std::size_t kFileBytesMax = 64 << 20;
constexpr std::uint32_t kEmpty = UINT32_MAX;
constexpr std::string_view kContinues = "##";

/// FNV-1a's step with a 64-bit golden-ratio multiplier: the high bits, which choose the slot,
/// depend on every byte. "in" and "##in" differ from the first step on.
constexpr std::uint64_t seed(bool continues) {
  return continues ? 0x84222325CBF29CE4 : 0xCBF29CE484222325;
}
constexpr std::uint64_t step(std::uint64_t hash, char byte) {
  return (hash ^ static_cast<std::uint8_t>(byte)) * 0x9E3779B97F4A7C15;
}
std::uint64_t hash_of(std::string_view text, bool continues) {
  std::uint64_t hash = seed(continues);
  for (const char byte : text) {
    hash = step(hash, byte);
  }
  return hash;
}
/// The part of a hash that a slot keeps; the slot's place is taken from the high bits.
constexpr std::uint32_t kept(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 20); }

bool inside_code_point(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80;
}

}  // namespace

Result<WordPiece> WordPiece::read(const std::filesystem::path& file, std::string_view unknown) {
  BRAID_TRY(const std::string lines, read_file(file, kFileBytesMax));
  return parse(lines, file.string(), unknown);
}

Result<WordPiece> WordPiece::parse(std::string_view lines, std::string_view name,
                                   std::string_view unknown) {
  if (lines.size() > kFileBytesMax) {
    return Error{Code::kExhausted,
                 fmt::format("{}: a vocabulary has at most {} bytes", name, kFileBytesMax)};
  }
  WordPiece vocabulary;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    std::string_view token = lines.substr(at, end - at);
    at = end + 1;
    if (token.ends_with('\r')) {
      token.remove_suffix(1);
    }
    if (!is_utf8(token)) {
      return Error{Code::kInvalidArgument,
                   fmt::format("{}:{}: this token is not UTF-8; a vocabulary has one token a line",
                               name, vocabulary.size_ + 1)};
    }
    vocabulary.add(token, static_cast<std::int32_t>(vocabulary.size_++));
  }
  vocabulary.build_slots();
  vocabulary.unknown_id_ = vocabulary.id_of(unknown);
  if (vocabulary.unknown_id_ == kNone) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{}: no token {} among {} lines; is this a WordPiece vocabulary?",
                             name, unknown, vocabulary.size_)};
  }
  return vocabulary;
}

/// Tokens that no word can contain keep their id and are left out: empty ones, and longer ones.
void WordPiece::add(std::string_view token, std::int32_t id) {
  const bool continues = token.starts_with(kContinues) && token.size() > kContinues.size();
  token.remove_prefix(continues ? kContinues.size() : 0);
  if (token.empty() || token.size() > kWordBytesMax) {
    return;
  }
  pieces_.push_back({static_cast<std::uint32_t>(text_.size()),
                     static_cast<std::uint16_t>(token.size()), continues, id});
  text_ += token;
  longest_[continues ? 1 : 0] = std::max(longest_[continues ? 1 : 0], token.size());
}

void WordPiece::build_slots() {
  const std::size_t slot_count = std::bit_ceil(std::max<std::size_t>(pieces_.size() * 2, 2));
  shift_ = 64 - std::countr_zero(slot_count);
  slots_.assign(slot_count, Slot{0, kEmpty});
  for (std::uint32_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const std::string_view text = std::string_view(text_).substr(piece.begin, piece.length);
    const std::uint64_t hash = hash_of(text, piece.continues);
    std::size_t slot = hash >> shift_;
    const auto is_same = [&](const Slot& other) {
      const Piece& there = pieces_[other.piece];
      return other.hash == kept(hash) && there.continues == piece.continues &&
             std::string_view(text_).substr(there.begin, there.length) == text;
    };
    while (slots_[slot].piece != kEmpty && !is_same(slots_[slot])) {
      slot = (slot + 1) & (slot_count - 1);
    }
    slots_[slot] = {kept(hash), i};
  }
}

std::int64_t WordPiece::find(std::uint64_t hash, std::string_view text, bool continues) const {
  for (std::size_t slot = hash >> shift_;; slot = (slot + 1) & (slots_.size() - 1)) {
    const Slot& there = slots_[slot];
    if (there.piece == kEmpty) {
      return kNone;
    }
    if (there.hash != kept(hash)) {
      continue;
    }
    const Piece& piece = pieces_[there.piece];
    if (piece.continues == continues &&
        std::string_view(text_).substr(piece.begin, piece.length) == text) {
      return piece.id;
    }
  }
}

std::int64_t WordPiece::id_of(std::string_view token) const {
  const bool continues = token.starts_with(kContinues) && token.size() > kContinues.size();
  token.remove_prefix(continues ? kContinues.size() : 0);
  return find(hash_of(token, continues), token, continues);
}

void WordPiece::split(std::string_view word, std::vector<std::int64_t>& ids) const {
  BRAID_CHECK(!word.empty() && word.size() <= kWordBytesMax);
  std::array<std::uint64_t, kWordBytesMax> hashes;  // [i]: of the bytes from `begin` to i
  const std::size_t id_count_before = ids.size();
  for (std::size_t begin = 0; begin < word.size();) {
    const bool continues = begin > 0;
    std::size_t end = std::min(word.size(), begin + longest_[continues ? 1 : 0]);
    std::uint64_t hash = seed(continues);
    for (std::size_t i = begin; i < end; ++i) {
      hash = step(hash, word[i]);
      hashes[i] = hash;
    }
    std::int64_t id = kNone;
    for (; end > begin; --end) {
      if (inside_code_point(word, end)) {
        continue;
      }
      id = find(hashes[end - 1], word.substr(begin, end - begin), continues);
      if (id != kNone) {
        break;
      }
    }
    if (id == kNone) {
      ids.resize(id_count_before);
      ids.push_back(unknown_id_);
      return;
    }
    ids.push_back(id);
    begin = end;
  }
}

}  // namespace braid

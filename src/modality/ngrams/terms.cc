#include "modality/ngrams/terms.h"

#include <bit>

#include "base/check.h"

namespace braid {
namespace {

constexpr std::uint32_t kept_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 8);
}

}  // namespace

Terms::Terms() : slots_(16), shift_(60) {}

std::size_t Terms::slot_of(std::uint64_t hash, std::string_view text) const {
  const std::uint32_t kept = kept_of(hash);
  for (std::size_t slot = hash >> shift_;; slot = (slot + 1) & (slots_.size() - 1)) {
    const Slot& there = slots_[slot];
    if (there.number == kNone || (there.kept == kept && (*this)[there.number] == text)) {
      return slot;
    }
  }
}

std::uint32_t Terms::add(std::uint64_t hash, std::string_view text) {
  const std::size_t slot = slot_of(hash, text);
  if (slots_[slot].number != kNone) {
    return slots_[slot].number;
  }
  BRAID_CHECK(text_.size() + text.size() <= UINT32_MAX);
  const auto number = static_cast<std::uint32_t>(ends_.size());
  slots_[slot] = {kept_of(hash), number};
  text_ += text;
  ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  if (ends_.size() * 2 > slots_.size()) {
    grow();
  }
  return number;
}

void Terms::grow() {
  slots_.assign(slots_.size() * 2, {});
  shift_ = 64 - std::countr_zero(slots_.size());
  for (std::uint32_t number = 0; number < ends_.size(); ++number) {
    const std::uint64_t hash = hash_of((*this)[number]);
    slots_[slot_of(hash, (*this)[number])] = {kept_of(hash), number};
  }
}

}  // namespace braid

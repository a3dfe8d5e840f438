#pragma once
// Chance: seeded random numbers that are the same on every machine and with every standard library,
// which std::uniform_int_distribution does not promise.

#include <cstddef>
#include <cstdint>
#include <random>

namespace braid {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// In 0 … count - 1.
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(unit() * static_cast<double>(count));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace braid

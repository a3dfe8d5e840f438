#include "serve/domain.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "base/digest.h"
#include "base/file.h"
#include "tensor/npy.h"

namespace braid {
namespace {

constexpr std::size_t kDirectionsMax = 1024;
constexpr std::size_t kWidthMax = 65536;
constexpr std::size_t kDistancesMax = 100000;

Error wrong(const std::filesystem::path& file, std::string_view message) {
  return Error{Code::kInvalidArgument,
               fmt::format("{}: out_of_domain: {}; run `braid fit` again", file.string(), message)};
}

/// Finite and never falling.
bool are_quantiles(const std::vector<double>& values) {
  return values.size() >= 2 && values.size() <= kDistancesMax &&
         std::ranges::all_of(values, [](double value) { return std::isfinite(value); }) &&
         std::ranges::is_sorted(values);
}

std::vector<double> numbers_in(const Json* list) {
  std::vector<double> numbers;
  for (const Json& item :
       list != nullptr && list->list() != nullptr ? *list->list() : Json::List{}) {
    numbers.push_back(item.is_number() ? item.number() : std::nan(""));
  }
  return numbers;
}

Result<void> check_digest(const std::filesystem::path& file, const Json& entry) {
  BRAID_TRY(const std::string bytes, read_file(file));
  const Json* digest = entry.find("digest");
  if (digest == nullptr || digest->text() == nullptr || *digest->text() != sha256(bytes)) {
    return wrong(file, "not the file that was fitted");
  }
  return {};
}

}  // namespace

Domain::Domain(const DomainNumbers& numbers)
    : means_(numbers.means),
      factors_(numbers.factors),
      count_(numbers.directions.size() / numbers.means.size()),
      directions_(numbers.directions.size()),
      distances_(numbers.distances) {
  BRAID_CHECK(factors_.size() == means_.size());
  BRAID_CHECK(count_ * means_.size() == directions_.size());
  for (std::size_t column = 0; column < means_.size(); ++column) {
    for (std::size_t i = 0; i < count_; ++i) {
      directions_[column * count_ + i] = numbers.directions[i * means_.size() + column];
    }
  }
}

Result<Domain> Domain::open(const std::filesystem::path& folder, const Json& entry) {
  const Json* name = entry.find("file");
  const bool is_plain = name != nullptr && name->text() != nullptr && !name->text()->empty() &&
                        std::filesystem::path(*name->text()).filename() == *name->text();
  if (!is_plain) {
    return wrong(folder / "fitted.json", "`file` is no name of a file beside it");
  }
  const std::filesystem::path file = folder / *name->text();
  BRAID_TRY(const NpyHeader header, read_npy_header(file));
  const bool fits = header.shape.size() == 2 && header.shape[0] >= 2 &&
                    header.shape[0] <= 2 + kDirectionsMax && header.shape[1] >= 1 &&
                    header.shape[1] <= kWidthMax;
  if (!fits) {
    return wrong(file, fmt::format("shape {}, but [2 + directions, width] is wanted",
                                   to_string(header.shape)));
  }
  BRAID_TRY_DO(check_digest(file, entry));
  DomainNumbers numbers;
  numbers.distances = numbers_in(entry.find("distances"));
  if (!are_quantiles(numbers.distances)) {
    return wrong(folder / "fitted.json", "`distances` are no quantiles");
  }
  BRAID_TRY(const std::vector<double> values, read_npy_values(file, header));
  const auto factors = values.begin() + static_cast<std::ptrdiff_t>(header.shape[1]);
  const auto directions = factors + static_cast<std::ptrdiff_t>(header.shape[1]);
  numbers.means.assign(values.begin(), factors);
  numbers.factors.assign(factors, directions);
  numbers.directions.assign(directions, values.end());
  return Domain(numbers);
}

double Domain::distance(std::span<const float> embedding) const {
  BRAID_CHECK(embedding.size() == width());
  double square = 0;
  std::vector<double> along(count_, 0);
  for (std::size_t column = 0; column < embedding.size(); ++column) {
    const double away = static_cast<double>(embedding[column]) - means_[column];
    const double y = std::isnan(away) ? 0 : away * factors_[column];
    square += y * y;
    const double* direction = directions_.data() + column * count_;
    for (std::size_t i = 0; i < count_; ++i) {
      along[i] += y * direction[i];
    }
  }
  for (const double part : along) {
    square -= part * part;
  }
  return std::isnan(square) ? INFINITY : std::max(square, 0.0);  // ∞ − ∞: an infinite embedding
}

double Domain::share_nearer(double distance) const {
  const auto above = std::ranges::upper_bound(distances_, distance);
  if (above == distances_.begin()) {
    return 0;
  }
  if (above == distances_.end()) {
    return 1;
  }
  const auto steps = static_cast<double>(distances_.size() - 1);
  const auto below = static_cast<double>(above - distances_.begin() - 1);
  const double before = *(above - 1);
  return (below + (distance - before) / (*above - before)) / steps;
}

double Domain::score(std::span<const float> embedding) const {
  return share_nearer(distance(embedding));
}

}  // namespace braid

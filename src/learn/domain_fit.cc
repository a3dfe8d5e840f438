#include "learn/domain_fit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/mutex.h"
#include "learn/algebra.h"
#include "learn/block.h"
#include "learn/parallel.h"
#include "tensor/npy.h"

namespace braid {
namespace {

constexpr std::size_t kWidthMax = 8192;  // a file of 4 MB; such a row is counts, not an embedding
constexpr std::size_t kDirections = 64;  // 82,000 products for 1280 columns
constexpr std::size_t kRowsMin = 20;     // fewer have no tail
constexpr std::size_t kQuantiles = 101;
constexpr double kVarianceMin = 1e-9;  // of the mean variance: no distance becomes infinite

double fourth_powers(const Matrix& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    double square = 0;
    for (const double value : rows.row(i)) {
      square += value * value;
    }
    sum += square * square;
  }
  return sum;
}

/// How far the covariance is pulled towards `mean` times the identity, in [0, 1].
double shrinkage(const Matrix& rows, const PrincipalAxes& axes) {
  const auto n = static_cast<double>(rows.row_count);
  const auto p = static_cast<double>(rows.width);
  const double noise = (fourth_powers(rows) / n - axes.squares_sum) / (n * p);
  const double mean = axes.variance_sum / p;
  const double spread = axes.squares_sum / p - mean * mean;
  return noise <= 0 ? 0 : (spread <= noise ? 1 : noise / spread);
}

/// A space of one branch, and its rows of all splits.
struct Space {
  std::size_t branch;
  std::string name;
  const VariantRows* rows;
};

std::vector<Space> spaces_of(const FitSetup& setup, const EmbeddedRows& embedded) {
  std::vector<Space> spaces;
  for (std::size_t b = 0; b < embedded.size(); ++b) {
    std::set<std::string> seen;
    for (std::size_t v = 0; v < embedded[b].size(); ++v) {
      const VariantConfig& variant = setup.pipeline->branches[b].variants[v].config;
      const VariantRows& rows = embedded[b][v];
      const bool fits =
          !setup.is_fitted_here(variant) && rows.embedding.width > 0 &&
          rows.embedding.width <= kWidthMax &&
          static_cast<std::size_t>(std::ranges::count(rows.present, true)) >= kRowsMin;
      if (fits && seen.insert(variant.space).second) {
        spaces.push_back({b, variant.space, &rows});
      }
    }
  }
  return spaces;
}

/// Rows that have the embedding and are inside the fold, or outside it.
std::vector<std::size_t> rows_in(const Space& space, const FitData& data, std::size_t fold,
                                 bool inside) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (space.rows->present[i] && (data.folds[i] == fold) == inside) {
      rows.push_back(i);
    }
  }
  return rows;
}

/// d² of the rows of one fold under a fit without them; in fold `fold_count` there are none.
struct Split {
  std::optional<DomainNumbers> numbers = {};
  std::vector<double> distances = {};
};

Split fit_split(const Space& space, const FitData& data, std::size_t fold) {
  Split split;
  const std::vector<std::size_t> training = rows_in(space, data, fold, false);
  if (training.size() < 2) {
    return split;
  }
  split.numbers = fit_domain(rows_of(space.rows->embedding, training), kDirections);
  if (!split.numbers.has_value()) {
    return split;
  }
  const Domain domain(*split.numbers);
  for (const std::size_t i : rows_in(space, data, fold, true)) {
    const auto row = space.rows->embedding.row(i);
    const std::vector<float> embedding(row.begin(), row.end());
    split.distances.push_back(domain.distance(embedding));
  }
  return split;
}

/// Letters that a file's name may have on every system.
std::string plain(const std::string& name) {
  std::string text = name;
  for (char& letter : text) {
    const bool keeps = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-';
    letter = keeps ? letter : '_';
  }
  return text;
}

/// Nothing where no fold could be fitted without its rows.
std::optional<FittedDomain> gather(const Space& space, std::size_t space_index,
                                   const FitSetup& setup, std::vector<Split> splits) {
  std::vector<double> distances;
  for (const Split& split : splits) {
    distances.insert(distances.end(), split.distances.begin(), split.distances.end());
  }
  if (distances.size() < kRowsMin || !splits.back().numbers.has_value()) {
    return std::nullopt;
  }
  FittedDomain domain{space.branch, space.name, {}, *std::move(splits.back().numbers)};
  domain.file =
      fmt::format("domain{}.{}.{}.npy", space_index,
                  plain(setup.pipeline->config.branches[space.branch].name), plain(space.name));
  domain.numbers.distances = quantiles_of(std::move(distances));
  return domain;
}

}  // namespace

std::optional<DomainNumbers> fit_domain(const Matrix& rows, std::size_t kept) {
  BRAID_CHECK(rows.row_count >= 2);
  const BlockTransform block = BlockTransform::fit(rows, 0);
  const Matrix scaled = block.apply(rows);
  const std::size_t count = std::min({kept, rows.row_count - 1, rows.width});
  const PrincipalAxes axes = principal_axes(scaled, count);
  if (!(axes.variance_sum > 0)) {
    return std::nullopt;
  }
  const double mean = axes.variance_sum / static_cast<double>(rows.width);
  const double pull = shrinkage(scaled, axes);
  const auto shrunk = [&](double variance) {
    return std::max((1 - pull) * variance + pull * mean, kVarianceMin * mean);
  };
  double left = axes.variance_sum;
  for (const double variance : axes.variances) {
    left -= variance;
  }
  const double rest = count == rows.width
                          ? shrunk(axes.variances.back())
                          : shrunk(std::max(left, 0.0) / static_cast<double>(rows.width - count));
  DomainNumbers numbers{block.means(), std::vector<double>(rows.width), {}, {}};
  for (std::size_t column = 0; column < rows.width; ++column) {
    numbers.factors[column] = block.factor(column) / std::sqrt(rest);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double length = std::sqrt(std::max(1 - rest / shrunk(axes.variances[i]), 0.0));
    for (std::size_t column = 0; column < rows.width; ++column) {
      numbers.directions.push_back(axes.directions.at(column, i) * length);
    }
  }
  return numbers;
}

std::vector<double> quantiles_of(std::vector<double> distances) {
  BRAID_CHECK(!distances.empty());
  std::ranges::sort(distances);
  std::vector<double> quantiles;
  for (std::size_t i = 0; i < kQuantiles; ++i) {
    const double place = static_cast<double>(i) * static_cast<double>(distances.size() - 1) /
                         static_cast<double>(kQuantiles - 1);
    const auto below = static_cast<std::size_t>(place);
    const double above = distances[std::min(below + 1, distances.size() - 1)];
    const double share = place - static_cast<double>(below);
    quantiles.push_back(std::min(distances[below] + share * (above - distances[below]), above));
  }
  return quantiles;
}

Result<std::vector<FittedDomain>> fit_domains(const FitSetup& setup, const FitData& data,
                                              const EmbeddedRows& embedded,
                                              const FitContext& context) {
  const std::vector<Space> spaces = spaces_of(setup, embedded);
  const std::size_t split_count = setup.config.options.folds + 1;  // the last leaves nothing out
  std::vector<Split> splits(spaces.size() * split_count);
  std::atomic<std::size_t> done = 0;
  Mutex telling;
  run_parallel(splits.size(), context.thread_count, [&](std::size_t task) {
    if (!context.stopped()) {
      splits[task] = fit_split(spaces[task / split_count], data, task % split_count);
    }
    const Lock lock(telling);
    context.tell("out of domain", ++done, splits.size());
  });
  if (context.stopped()) {
    return Error{Code::kCancelled, "stopped before the domains were fitted"};
  }
  std::vector<FittedDomain> domains;
  for (std::size_t s = 0; s < spaces.size(); ++s) {
    const auto begin = splits.begin() + static_cast<std::ptrdiff_t>(s * split_count);
    std::vector<Split> own(
        std::make_move_iterator(begin),
        std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(split_count)));
    if (auto domain = gather(spaces[s], s, setup, std::move(own))) {
      domains.push_back(*std::move(domain));
    }
  }
  return domains;
}

std::string domain_file(const DomainNumbers& numbers) {
  std::vector<double> values = numbers.means;
  values.insert(values.end(), numbers.factors.begin(), numbers.factors.end());
  values.insert(values.end(), numbers.directions.begin(), numbers.directions.end());
  return to_npy(values, values.size() / numbers.means.size());
}

Json domain_entry(const FittedDomain& domain, const std::string& bytes) {
  Json entry;
  entry.set("file", domain.file).set("digest", sha256(bytes));
  entry.set("distances", json_list(domain.numbers.distances));
  return entry;
}

}  // namespace braid

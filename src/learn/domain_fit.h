#pragma once
// How far from the training embeddings of a space another embedding is (serve/domain.h): one
// Gaussian with a shrunk covariance, whose leading directions are kept, and the distances of
// training rows, each from a fit without its fold. Labels are not looked at.
// Threads: fit_domains() uses as many as it is told; what it gives does not depend on how many.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/embed.h"
#include "learn/fit_data.h"
#include "learn/fit_setup.h"
#include "learn/matrix.h"
#include "serve/domain.h"

namespace braid {

/// Rows [n ≥ 2, width], NaN where a cell is missing, each column brought to deviation 1; their
/// covariance is shrunk towards a multiple of the identity by the rule of Ledoit and Wolf (2004);
/// the `kept` leading directions, at most min(n - 1, width), keep a variance each, all others have
/// the mean of theirs. Without `distances`. Nothing when no column varies.
std::optional<DomainNumbers> fit_domain(const Matrix& rows, std::size_t kept);

/// 101 quantiles of d², from the least to the greatest, linear between order statistics.
std::vector<double> quantiles_of(std::vector<double> distances);

struct FittedDomain {
  std::size_t branch = 0;
  std::string space;
  std::string file;  // "domain0.one.enc.npy"
  DomainNumbers numbers;
};

/// One for each space that a branch's variants embed into, as the first of them says it, but for
/// spaces of more than 8192 columns or fewer than 20 rows. kCancelled when the context says so.
Result<std::vector<FittedDomain>> fit_domains(const FitSetup& setup, const FitData& data,
                                              const EmbeddedRows& embedded,
                                              const FitContext& context);

/// The bytes of the file, and the entry of fitted.json that names it.
std::string domain_file(const DomainNumbers& numbers);
Json domain_entry(const FittedDomain& domain, const std::string& bytes);

}  // namespace braid

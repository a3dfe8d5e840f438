#pragma once
// Thirteen of the statistics called catch22 (Lubba et al. 2019, "catch22: CAnonical Time-series
// CHaracteristics"), by their short names there; written anew from their definitions. Each takes a
// stretch of at least kDynamicsMin values without gaps that are not all equal. Threads: pure
// functions.

#include <cstddef>

#include "modality/series/stretch.h"

namespace braid::dynamics {

constexpr std::size_t kDynamicsMin = 8;

double mode_5(Stretch& stretch);
double mode_10(Stretch& stretch);
double stretch_high(Stretch& stretch);
double stretch_decreasing(Stretch& stretch);
double acf_timescale(Stretch& stretch);
double acf_first_min(Stretch& stretch);
double low_freq_power(Stretch& stretch);
double median_freq(Stretch& stretch);
double forecast_error(Stretch& stretch);
double whiten_timescale(Stretch& stretch);
double trev(Stretch& stretch);
double ami_timescale(Stretch& stretch);
double high_fluctuation(Stretch& stretch);

}  // namespace braid::dynamics

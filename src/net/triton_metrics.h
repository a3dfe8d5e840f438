#pragma once
// Triton's metrics under Triton's names, so that dashboards made for it work here: looked up when
// they are asked for, from what dispatcher, engine and request meters count anyway.
// Threads: every function from any.

#include <vector>

#include "model/store.h"
#include "net/byte_credits.h"
#include "net/metrics_page.h"
#include "net/request_meters.h"
#include "serve/dispatcher.h"
#include "serve/engine.h"

namespace braid {

/// nv_inference_… of every loaded model version and of every pipeline, labels model and version.
std::vector<SampledFamily> triton_metrics(const Engine& engine, const Dispatcher& dispatcher,
                                          const ModelStore& store, const RequestMeters& meters);

/// What of ours is looked up too: waiting rows, busy slots, ready versions, bytes in flight.
std::vector<SampledFamily> serving_metrics(const Dispatcher& dispatcher, const ModelStore& store,
                                           const ByteCredits& credits);

}  // namespace braid

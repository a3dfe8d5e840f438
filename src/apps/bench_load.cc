#include "apps/bench_load.h"

#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "net/grpc/grpc_load_request.h"
#include "net/load/load_inputs.h"
#include "net/load/load_request.h"
#include "net/load/served_model.h"

namespace braid {
namespace {

using Requests = std::vector<std::string>;

Duration from_ms(double milliseconds) {
  return std::chrono::round<Duration>(std::chrono::duration<double, std::milli>(milliseconds));
}
Duration from_s(double seconds) { return from_ms(seconds * 1e3); }

/// "photo=@shoe.jpg" or "title=a red shoe"; a value that begins with @ is written @@.
Result<std::pair<std::string, std::string>> own_input(const ServedModel& model,
                                                      const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{Code::kInvalidArgument,
                 fmt::format("--input {}: NAME=@FILE or NAME=TEXT is wanted", word)};
  }
  const std::string name = word.substr(0, equals);
  const std::string_view value = std::string_view(word).substr(equals + 1);
  if (value.starts_with('@') && !value.starts_with("@@")) {
    BRAID_TRY(std::string bytes, read_file(value.substr(1)).within("--input " + name));
    return std::pair(name, std::move(bytes));
  }
  for (const TensorSpec& spec : model.inputs) {
    if (spec.name == name && spec.dtype != DType::kBytes) {
      return Error{Code::kInvalidArgument,
                   fmt::format("--input {}: {} takes numbers; give them raw in a file: {}=@FILE",
                               word, to_string(spec), name)};
    }
  }
  return std::pair(name, std::string(value.substr(value.starts_with("@@") ? 1 : 0)));
}

Result<Requests> body_requests(const BenchOptions& options, const ServerAddress& server,
                               const std::string& path) {
  Requests requests;
  if (options.bodies.empty()) {
    requests.push_back(plain_bytes(server, path, ""));
  }
  for (const std::string& file : options.bodies) {
    BRAID_TRY(const std::string body, read_file(file).within("--body"));
    if (body.empty()) {
      return Error{Code::kInvalidArgument, fmt::format("--body {}: the file is empty", file)};
    }
    requests.push_back(plain_bytes(server, path, body));
  }
  return requests;
}

std::string infer_path(const BenchSide& side) {
  return fmt::format("/v2/models/{}/infer", percent_encoded(side.model));
}

Result<ServedModel> ask_for_model(const BenchSide& side, const ServerAddress& server,
                                  Duration patience) {
  return server.protocol == LoadProtocol::kGrpc ? fetch_grpc_model(server, side.model, patience)
                                                : fetch_served_model(server, side.model, patience);
}

Result<Requests> tensor_requests(const BenchOptions& options, const BenchSide& side,
                                 const ServerAddress& server) {
  BRAID_TRY(const ServedModel model, ask_for_model(side, server, from_ms(options.timeout_ms)));
  LoadInputOptions inputs{.row_count = static_cast<std::size_t>(options.batch),
                          .case_count = static_cast<std::size_t>(options.cases),
                          .zeros = options.zeros,
                          .seed = static_cast<std::uint64_t>(options.seed)};
  for (const std::string& word : options.shapes) {
    BRAID_TRY(auto shape, parse_shape_option(word));
    inputs.shapes.insert(std::move(shape));
  }
  for (const std::string& word : options.inputs) {
    BRAID_TRY(auto own, own_input(model, word));
    inputs.own.push_back(std::move(own));
  }
  InferOptions infer{.encoding = options.json_tensors ? LoadEncoding::kJson : LoadEncoding::kBinary,
                     .outputs = options.outputs};
  for (const std::string& word : options.parameters) {
    BRAID_TRY(auto parameter, parse_parameter_option(word));
    infer.parameters.set(parameter.first, std::move(parameter.second));
  }
  BRAID_TRY(const std::vector<NamedTensors> cases, make_cases(model, inputs));
  Requests requests;
  for (const NamedTensors& each : cases) {
    if (server.protocol == LoadProtocol::kGrpc) {
      requests.push_back(grpc_infer_bytes(side.model, each, infer));
      continue;
    }
    BRAID_TRY(std::string bytes, infer_bytes(server, infer_path(side), each, infer));
    requests.push_back(std::move(bytes));
  }
  return requests;
}

Result<Requests> make_requests(const BenchOptions& options, const BenchSide& side,
                               const ServerAddress& server) {
  if (!options.path.empty()) {
    return body_requests(options, server, options.path);
  }
  if (options.bodies.empty()) {
    return tensor_requests(options, side, server);
  }
  BRAID_TRY_DO(fetch_served_model(server, side.model, from_ms(options.timeout_ms)));
  return body_requests(options, server, infer_path(side));
}

Result<Arrivals> make_arrivals(const BenchOptions& options, Duration span) {
  if (options.rate > 0) {
    return poisson_arrivals(options.rate, span, static_cast<std::uint64_t>(options.seed));
  }
  BRAID_TRY(const std::string csv, read_file(options.trace).within("--trace"));
  return trace_arrivals(csv, options.trace_speed, span).within("--trace " + options.trace);
}

std::string load_words(const BenchOptions& options) {
  const std::size_t connections = options.connection_count();
  if (options.rate > 0) {
    return fmt::format("open loop, {} requests/s (Poisson), at most {} under way", options.rate,
                       connections);
  }
  if (!options.trace.empty()) {
    return fmt::format("open loop, {} at {} × its speed, at most {} under way", options.trace,
                       options.trace_speed, connections);
  }
  return fmt::format("closed loop, {} connection{}", connections, connections == 1 ? "" : "s");
}

}  // namespace

Result<BenchLoad> make_bench_load(const BenchOptions& options, const BenchSide& side) {
  BenchLoad made;
  LoadOptions& load = made.load;
  BRAID_TRY(load.server, parse_address(side.url));
  BRAID_TRY(Requests requests, make_requests(options, side, load.server));
  load.model = side.model;
  load.requests = std::make_shared<const Requests>(std::move(requests));
  load.connection_count = options.connection_count();
  load.thread_count = static_cast<std::size_t>(options.threads);
  load.warm_up = from_s(options.warm_up_s);
  load.window = from_s(options.duration_s);
  load.timeout = from_ms(options.timeout_ms);
  if (options.deadline_ms > 0) {
    load.deadline = from_ms(options.deadline_ms);
  }
  if (options.is_open()) {
    BRAID_TRY(load.arrivals, make_arrivals(options, load.warm_up + load.window));
  }
  if (side.pid > 0) {
    load.pid = side.pid;
  }
  if (!side.metrics_url.empty()) {
    BRAID_TRY(load.metrics, parse_address(side.metrics_url).within("--metrics-url"));
  }
  made.facts = {
      .target = fmt::format("{} at {}{}", options.path.empty() ? side.model : options.path,
                            side.url, options.json_tensors ? ", JSON" : ""),
      .load = load_words(options),
      .deadline = load.deadline,
      .protocol = load.server.protocol};
  return made;
}

}  // namespace braid

#include "apps/bench_options.h"

#include <fmt/format.h>

namespace braid {
namespace {

constexpr const char* kManual =
    "What is sent: by default one inference of --model with inputs made up to fit the server's\n"
    "metadata, in the binary tensor extension; over gRPC, raw, when --url is grpc://HOST:PORT.\n"
    "Own data comes with --input (a pipeline's inputs are raw data, so they must) or, over HTTP,\n"
    "as whole request bodies with --body. --path measures any other endpoint of HTTP: POST of\n"
    "--body, or GET without one.\n\n"
    "When: a closed loop by default: each of --connections sends its next request when it has its\n"
    "answer, so a slow server is asked less. --rate and --trace make an open loop: requests have\n"
    "their times beforehand and latency counts from those, sent in time or not, so a server that\n"
    "stalls cannot hide it (no coordinated omission). --connections is then the most that are\n"
    "under way at once.\n\n"
    "What counts: answers (open loop: requests) within --duration, after --warm-up. Latencies are\n"
    "of good answers; what failed is counted by status with the server's first words. Goodput is\n"
    "good answers within --deadline-ms. Server CPU is utime + stime of --pid's /proc entry over\n"
    "answers. The batch is rows ÷ runs that the metrics page counted meanwhile.\n\n"
    "Two servers: --compare URL runs both in turn, A B B A in each of --rounds rounds, and prints\n"
    "B ÷ A with its median, minimum and maximum over the rounds. On a machine that does other\n"
    "things only such ratios mean something.\n\n"
    "Examples\n"
    "  braid bench --model mlp --connections 64 --pid $(pidof braid) \\\n"
    "      --metrics-url http://127.0.0.1:8002\n"
    "  braid bench --model shoes --input photo=@shoe.jpg --input 'title=a red shoe' \\\n"
    "      --rate 50 --deadline-ms 100\n"
    "  braid bench --model mlp --connections 16 --compare http://127.0.0.1:18000 --json mlp.json\n"
    "  braid bench --url grpc://127.0.0.1:8001 --model mlp --connections 16\n"
    "  braid bench --path /v2/pipelines/shoes/decide --body case.json --trace day.csv\n\n"
    "Exit code 0: measured. 1: the server is not there, refuses the request or ended. 2: options.\n"
    "docs/bench.md says more.";

Error usage(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

struct Range {
  const char* name;
  double value;
  double min;
  double max;
};

Result<void> check_ranges(const BenchOptions& options) {
  const Range ranges[] = {
      {"--connections", static_cast<double>(options.connections), 0, 60'000},
      {"--threads", static_cast<double>(options.threads), 1, 64},
      {"--batch", static_cast<double>(options.batch), 1, 1'000'000},
      {"--cases", static_cast<double>(options.cases), 1, 100'000},
      {"--seed", static_cast<double>(options.seed), 0, 1e18},
      {"--rate", options.rate, 0, 1e7},
      {"--trace-speed", options.trace_speed, 1e-6, 1e6},
      {"--warm-up", options.warm_up_s, 0, 600},
      {"--duration", options.duration_s, 0.01, 86'400},
      {"--deadline-ms", options.deadline_ms, 0, 1e7},
      {"--timeout-ms", options.timeout_ms, 1, 1e7},
      {"--rounds", static_cast<double>(options.rounds), 1, 1000},
      {"--pid", static_cast<double>(options.a.pid), 0, 1e9},
      {"--compare-pid", static_cast<double>(options.b.pid), 0, 1e9},
  };
  for (const Range& range : ranges) {
    if (!(range.value >= range.min && range.value <= range.max)) {
      return usage(fmt::format("{} {} is not between {} and {}", range.name, range.value, range.min,
                               range.max));
    }
  }
  return {};
}

void declare_data(CommandLine& line, BenchOptions& options) {
  line.add("--url", options.a.url, "the server: http://HOST:PORT, or grpc://HOST:PORT");
  line.add("--model", options.a.model, "model or pipeline to run");
  line.add("--input", options.inputs,
           "NAME=@FILE (raw numbers, or any bytes for BYTES) or NAME=TEXT; given several times for "
           "a name they take turns");
  line.add("--shape", options.shapes, "NAME=SIZE,SIZE,… where axes vary, axis 0 first");
  line.add("--batch", options.batch, "rows a request, where axis 0 varies");
  line.add("--output", options.outputs, "output to ask for; default: all");
  line.add("--parameter", options.parameters, "NAME=VALUE of the request, such as timeout=50000");
  line.add_flag("--json-tensors", options.json_tensors, "numbers as JSON, not binary");
  line.add("--cases", options.cases, "different made-up inputs, sent in turn");
  line.add_flag("--zeros", options.zeros, "zeros, not random numbers");
  line.add("--seed", options.seed, "of made-up inputs and of arrivals");
  line.add("--body", options.bodies, "file with a whole request body; several take turns");
  line.add("--path", options.path, "another endpoint, such as /v2/pipelines/NAME/decide");
}

void declare_load(CommandLine& line, BenchOptions& options) {
  line.add("--connections", options.connections,
           "closed loop: how many ask; open loop: how many may; 0: 1 and 256");
  line.add("--rate", options.rate, "open loop: Poisson arrivals, so many a second");
  line.add("--trace", options.trace, "open loop: CSV whose first column is the time of arrival");
  line.add("--trace-speed", options.trace_speed, "play the trace so many times faster");
  line.add("--threads", options.threads, "of the client; more when it cannot keep up");
  line.add("--warm-up", options.warm_up_s, "seconds of load that do not count");
  line.add("--duration", options.duration_s, "seconds that count");
  line.add("--deadline-ms", options.deadline_ms, "what is good for goodput; 0: not told");
  line.add("--timeout-ms", options.timeout_ms, "a request is given up after");
  line.add("--pid", options.a.pid, "of the server, for its CPU a request");
  line.add("--metrics-url", options.a.metrics_url, "of its metrics, for the realised batch");
}

Result<void> check_grpc(const BenchOptions& options) {
  const bool is_grpc = options.a.url.starts_with("grpc://") || options.b.url.starts_with("grpc://");
  if (is_grpc && (!options.path.empty() || !options.bodies.empty() || options.json_tensors)) {
    return usage(
        "--path, --body and --json-tensors are of HTTP; over grpc:// an inference of "
        "--model is sent, with raw contents");
  }
  return {};
}

}  // namespace

std::size_t BenchOptions::connection_count() const {
  if (connections > 0) {
    return static_cast<std::size_t>(connections);
  }
  return is_open() ? 256 : 1;
}

void declare(CommandLine& line, BenchOptions& options) {
  declare_data(line, options);
  declare_load(line, options);
  line.add("--compare", options.b.url, "a second server, B");
  line.add("--compare-model", options.b.model, "its name there, where it differs");
  line.add("--compare-pid", options.b.pid, "as --pid, of B");
  line.add("--compare-metrics-url", options.b.metrics_url, "as --metrics-url, of B");
  line.add("--rounds", options.rounds, "of A B B A");
  line.add("--json", options.json_file, "write all figures there");
  line.explain(kManual);
}

Result<void> check(const BenchOptions& options) {
  BRAID_TRY_DO(check_ranges(options));
  BRAID_TRY_DO(check_grpc(options));
  if (options.a.model.empty() == options.path.empty()) {
    return usage("give --model NAME, or --path PATH for another endpoint");
  }
  if (!options.path.empty() && !options.path.starts_with('/')) {
    return usage(fmt::format("--path {}: a path begins with /", options.path));
  }
  const bool has_data = !options.inputs.empty() || !options.shapes.empty() ||
                        !options.outputs.empty() || !options.parameters.empty() ||
                        options.json_tensors;
  if (has_data && (!options.path.empty() || !options.bodies.empty())) {
    return usage(
        "--input, --shape, --output, --parameter and --json-tensors make the body of an inference; "
        "with --body or --path it is yours");
  }
  if (options.rate > 0 && !options.trace.empty()) {
    return usage("--rate and --trace both say when requests are sent; give one");
  }
  if (!options.is_comparison() &&
      (!options.b.model.empty() || options.b.pid != 0 || !options.b.metrics_url.empty())) {
    return usage("--compare-model, --compare-pid and --compare-metrics-url want --compare URL");
  }
  return {};
}

}  // namespace braid

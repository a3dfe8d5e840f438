#include "serve/model_statistics.h"

namespace braid {

void ModelStatistics::add(const BatchReport& report, TimePoint now) {
  row_count += report.row_count;
  ++run_count;
  last_run = now;
  const Duration ran = report.ran - report.joined;
  for (const JobOutcome& each : report.outcomes) {
    (each.outputs.has_value() ? success : fail).add(each.queued + each.ran + report.split);
    queue.add(each.queued);
    join.add(report.joined);
    run.add(ran);
    split.add(report.split);
  }
  Runs& of_this_size = runs[report.row_count];
  of_this_size.join.add(report.joined);
  of_this_size.run.add(ran);
  of_this_size.split.add(report.split);
}

}  // namespace braid

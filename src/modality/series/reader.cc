#include "modality/series/reader.h"

#include "modality/series/cells.h"

namespace braid {

Result<Recording> read_recording(Bytes raw, const ReaderOptions& options) {
  const std::size_t begin = raw.find_first_not_of(" \t\r\n");
  if (begin == Bytes::npos) {
    return Error{Code::kInvalidArgument, "the series is empty"};
  }
  SampleCollector collector(options);
  if (raw[begin] == '{' || raw[begin] == '[') {
    BRAID_TRY(const Json json, Json::parse(raw));
    BRAID_TRY_DO(collect_json(json, options, collector));
  } else {
    BRAID_TRY(const std::vector<CsvRow> rows, parse_csv(raw));
    BRAID_TRY_DO(collect_csv(rows, options, collector));
  }
  return std::move(collector).recording();
}

}  // namespace braid

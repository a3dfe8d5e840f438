#include "measure/evidence.h"

#include <cmath>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"

namespace braid {
namespace {

Json optional_number(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json();
}

Json row_json(const EvidenceRow& row, const EvidenceSource& source) {
  Json json;
  json.set("id", row.id);
  json.set("what", row.what);
  json.set("value", row.value);
  json.set("low", optional_number(row.low));
  json.set("high", optional_number(row.high));
  json.set("unit", row.unit);
  json.set("goal", row.goal);
  json.set("holds", row.holds.has_value() ? Json(*row.holds) : Json());
  json.set("note", row.note);
  json.set("command", source.command);
  json.set("commit", source.commit);
  json.set("date", source.date);
  return json;
}

const std::string* id_of(const Json& row) {
  const Json* id = row.find("id");
  return id != nullptr ? id->text() : nullptr;
}

/// The rows that are there already; none when there is no file.
Result<Json::List> read_rows(const std::filesystem::path& file) {
  Result<std::string> text = read_file(file);
  if (!text.has_value() && text.error().code == Code::kNotFound) {
    return Json::List{};
  }
  BRAID_TRY(const std::string present, std::move(text));
  BRAID_TRY(const Json json, Json::parse(present).within(file.string()));
  const Json* rows = json.find("rows");
  const Error not_evidence{
      Code::kInvalidArgument,
      fmt::format("{} is not evidence: no list of rows with ids; move it away", file.string())};
  if (rows == nullptr || rows->list() == nullptr) {
    return not_evidence;
  }
  for (const Json& row : *rows->list()) {
    if (id_of(row) == nullptr) {
      return not_evidence;
    }
  }
  return *rows->list();
}

/// A row a line, as tools/evidence.py writes it, so that a diff shows which figures changed.
std::string with_rows(std::string head, const Json::List& rows) {
  head.resize(head.size() - 2);  // "\n}"
  std::string text = head + ",\n  \"rows\": [";
  for (const Json& row : rows) {
    text += (&row == &rows.front() ? "\n    " : ",\n    ") + row.dump();
  }
  return text + "\n  ]\n}\n";
}

}  // namespace

Result<void> merge_evidence(const std::filesystem::path& file, const EvidenceSource& source,
                            const Machine& machine, const std::vector<EvidenceRow>& rows) {
  BRAID_TRY(Json::List merged, read_rows(file));
  for (const EvidenceRow& row : rows) {
    Json json = row_json(row, source);
    bool replaced = false;
    for (Json& old : merged) {
      if (*id_of(old) == row.id) {
        old = json;
        replaced = true;
      }
    }
    if (!replaced) {
      merged.push_back(std::move(json));
    }
  }
  Json where;
  where.set("cpu", machine.cpu);
  where.set("cores", std::uint64_t{machine.cores});
  where.set("memory_gib", machine.memory_gib);
  Json whole;
  whole.set("command", source.command);
  whole.set("commit", source.commit);
  whole.set("machine", std::move(where));
  whole.set("date", source.date);
  return write_file(file, with_rows(whole.dump(2), merged));
}

}  // namespace braid

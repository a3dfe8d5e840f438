#include "model/profile.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/machine.h"

namespace braid {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr double kHourMs = 3.6e6;

Json to_json(const MeasuredRun& run) {
  Json json;
  json.set("threads", static_cast<std::uint64_t>(run.thread_count));
  json.set("rows", static_cast<std::uint64_t>(run.row_count));
  json.set("ms", Milliseconds(run.took).count());
  return json;
}

Json to_json(const std::string& digest, const ModelProfile& model) {
  Json json;
  json.set("name", model.name).set("version", model.version).set("digest", digest);
  Json::List runs;
  for (const MeasuredRun& run : model.runs) {
    runs.push_back(to_json(run));
  }
  json.set("runs", std::move(runs)).set("memory_mib", model.memory_mib);
  return json;
}

/// The number under `key`, from `min` to `max`.
Result<double> number_of(const Json& json, const char* key, double min, double max) {
  const Json* value = json.find(key);
  if (value == nullptr || !value->is_number() ||
      !(value->number() >= min && value->number() <= max)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("'{}' is no number from {} to {}", key, min, max)};
  }
  return value->number();
}

Result<std::string> text_of(const Json& json, const char* key) {
  const Json* value = json.find(key);
  if (value == nullptr || value->text() == nullptr) {
    return Error{Code::kInvalidArgument, fmt::format("'{}' is no string", key)};
  }
  return *value->text();
}

Result<const Json::List*> list_of(const Json& json, const char* key) {
  const Json* value = json.find(key);
  if (value == nullptr || value->list() == nullptr) {
    return Error{Code::kInvalidArgument, fmt::format("'{}' is no list", key)};
  }
  return value->list();
}

Result<MeasuredRun> run_from(const Json& json) {
  BRAID_TRY(const double threads, number_of(json, "threads", 1, 4096));
  BRAID_TRY(const double rows, number_of(json, "rows", 1, 1 << 20));
  BRAID_TRY(const double ms, number_of(json, "ms", 0, kHourMs));
  return MeasuredRun{static_cast<std::size_t>(threads), static_cast<std::size_t>(rows),
                     std::chrono::round<Duration>(Milliseconds(ms))};
}

Result<ModelProfile> model_from(const Json& json) {
  ModelProfile model;
  BRAID_TRY(model.name, text_of(json, "name"));
  BRAID_TRY(const double version, number_of(json, "version", 1, 1e15));
  model.version = static_cast<std::int64_t>(version);
  BRAID_TRY(model.memory_mib, number_of(json, "memory_mib", 0, 1e9));
  BRAID_TRY(const Json::List* runs, list_of(json, "runs"));
  for (const Json& each : *runs) {
    BRAID_TRY(const MeasuredRun run, run_from(each));
    model.runs.push_back(run);
  }
  return model;
}

Result<Profile> profile_from(const Json& json) {
  Profile profile;
  BRAID_TRY(profile.cpu, text_of(json, "cpu"));
  BRAID_TRY(const double threads, number_of(json, "threads", 1, 4096));
  profile.thread_count = static_cast<std::size_t>(threads);
  BRAID_TRY(const Json::List* models, list_of(json, "models"));
  for (const Json& each : *models) {
    BRAID_TRY(std::string digest, text_of(each, "digest"));
    BRAID_TRY(profile.models[std::move(digest)], model_from(each));
  }
  return profile;
}

}  // namespace

const MeasuredRun* ModelProfile::find(std::size_t thread_count, std::size_t row_count) const {
  const auto found = std::ranges::find_if(runs, [&](const MeasuredRun& run) {
    return run.thread_count == thread_count && run.row_count == row_count;
  });
  return found == runs.end() ? nullptr : &*found;
}

const ModelProfile* Profile::find(const std::string& digest) const {
  const auto found = models.find(digest);
  return found == models.end() ? nullptr : &found->second;
}

Result<Profile> read_profile(const std::filesystem::path& repository) {
  const std::filesystem::path file = repository / kProfileName;
  Result<std::string> text = read_file(file);
  if (!text.has_value() && text.error().code == Code::kNotFound) {
    return Profile{};
  }
  BRAID_TRY(const std::string present, std::move(text));
  const auto context = fmt::format("{}; delete it or run `braid profile` again", file.string());
  BRAID_TRY(const Json json, Json::parse(present).within(context));
  BRAID_TRY(Profile profile, profile_from(json).within(context));
  return profile.cpu == this_machine().cpu ? std::move(profile) : Profile{};
}

Result<void> write_profile(const std::filesystem::path& repository, const Profile& profile) {
  Json json;
  json.set("cpu", profile.cpu);
  json.set("threads", static_cast<std::uint64_t>(profile.thread_count));
  Json::List models;
  for (const auto& [digest, model] : profile.models) {
    models.push_back(to_json(digest, model));
  }
  json.set("models", std::move(models));
  return write_file(repository / kProfileName, json.dump(2) + "\n");
}

}  // namespace braid

#include "learn/repository_writer.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include "base/file.h"
#include "serve/fitted.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

Error failed(const fs::path& path, const std::error_code& reason) {
  const bool full = reason == std::errc::no_space_on_device;
  return Error{full ? Code::kExhausted : Code::kUnavailable,
               fmt::format("cannot write {}: {}", path.string(), reason.message())};
}

/// What an earlier fit wrote, as its fitted.json says.
std::set<std::string> written_before(const fs::path& target, const std::string& pipeline) {
  std::set<std::string> names;
  const auto fitted = read_fitted(target / pipeline / "fitted.json");
  if (!fitted.has_value()) {
    return names;
  }
  const Json* wrote = fitted->data.find("wrote");
  for (const Json& name : wrote != nullptr && wrote->list() ? *wrote->list() : Json::List{}) {
    names.insert(name.text() != nullptr ? *name.text() : "");
  }
  return names;
}

Result<void> check_target(const fs::path& target, const std::string& pipeline) {
  std::error_code ignored;
  if (!fs::exists(target, ignored)) {
    return {};
  }
  const std::set<std::string> ours = written_before(target, pipeline);
  for (const auto& entry : fs::directory_iterator(target, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!ours.contains(name)) {
      return Error{Code::kInvalidArgument,
                   fmt::format("{} holds '{}', which no fit of '{}' wrote and which would be lost; "
                               "name another folder as `repository:`, or move it away",
                               target.string(), name, pipeline)};
    }
  }
  return {};
}

/// Hard links cost no space; between file systems a copy must do. A link to a link would break.
Result<void> link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code reason;
  const fs::path real = fs::canonical(from, reason);
  if (!reason) {
    fs::create_directories(to.parent_path(), reason);
    fs::create_hard_link(real, to, reason);
  }
  if (reason) {
    fs::copy_file(from, to, reason);
  }
  if (reason) {
    return failed(to, reason);
  }
  return {};
}

}  // namespace

RepositoryWriter::RepositoryWriter(fs::path target, std::string pipeline)
    : target_(std::move(target)), pipeline_(std::move(pipeline)) {
  folder_ = target_;
  folder_ += ".partial";
}

RepositoryWriter::RepositoryWriter(RepositoryWriter&& other) noexcept
    : target_(std::move(other.target_)),
      folder_(std::exchange(other.folder_, fs::path())),
      pipeline_(std::move(other.pipeline_)),
      entries_(std::move(other.entries_)),
      encoders_(std::move(other.encoders_)) {}

RepositoryWriter::~RepositoryWriter() {
  std::error_code ignored;
  if (!folder_.empty()) {
    fs::remove_all(folder_, ignored);
  }
}

Result<RepositoryWriter> RepositoryWriter::begin(const fs::path& target,
                                                 const std::string& pipeline) {
  const fs::path plain = (target / "").lexically_normal().parent_path();  // without a last slash
  BRAID_TRY_DO(check_target(plain, pipeline));
  RepositoryWriter writer(plain, pipeline);
  std::error_code reason;
  fs::remove_all(writer.folder_, reason);  // of a fit that was killed
  fs::create_directories(writer.folder_, reason);
  if (reason) {
    return failed(writer.folder_, reason);
  }
  return writer;
}

Result<void> RepositoryWriter::add_model(const std::string& name, const std::string& file_name,
                                         const std::string& bytes) {
  if (!entries_.insert(name).second) {
    return Error{Code::kInvalidArgument,
                 fmt::format("two models would be called '{}'; rename the branch, the node or the "
                             "variant",
                             name)};
  }
  return write_file(folder_ / name / "1" / file_name, bytes);
}

Result<void> RepositoryWriter::add_encoder(const LoadedModel& model) {
  if (encoders_.contains(model.name)) {
    return {};
  }
  if (!entries_.insert(model.name).second) {
    return Error{Code::kInvalidArgument,
                 fmt::format("encoder '{}' has the name of a head or of the pipeline; rename one",
                             model.name)};
  }
  encoders_.insert(model.name);
  const fs::path version = model.file.parent_path();
  const fs::path from = version.parent_path();
  const fs::path to = folder_ / model.name;
  std::error_code reason;
  for (const auto& entry : fs::directory_iterator(from, reason)) {
    if (entry.is_regular_file()) {
      BRAID_TRY_DO(link_or_copy(entry.path(), to / entry.path().filename()));
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(version, reason)) {
    if (entry.is_regular_file()) {
      BRAID_TRY_DO(link_or_copy(entry.path(), to / fs::relative(entry.path(), from)));
    }
  }
  if (reason) {
    return failed(from, reason);
  }
  return {};
}

Result<void> RepositoryWriter::add_pipeline_file(const std::string& file_name,
                                                 const std::string& bytes) {
  entries_.insert(pipeline_);
  return write_file(folder_ / pipeline_ / file_name, bytes);
}

Result<void> RepositoryWriter::publish() {
  std::error_code reason;
  if (!fs::exists(target_, reason)) {
    fs::rename(folder_, target_, reason);
    if (reason) {
      return failed(target_, reason);
    }
    folder_.clear();
    return {};
  }
  BRAID_TRY_DO(check_target(target_, pipeline_));
  // Both names change in one step, so that a server never looks into a hole.
  if (::renameat2(AT_FDCWD, folder_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    return failed(target_, std::error_code(errno, std::generic_category()));
  }
  return {};  // the destructor removes the old one, which has the partial name now
}

}  // namespace braid

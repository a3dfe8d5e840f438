#pragma once
// RepositoryWriter: a repository that appears whole or not at all. Everything goes into a folder
// beside the target, which publish() puts in its place; until then, and when anything fails, what
// was there before stays. Threads: one. Life: the destructor removes what was not published.

#include <filesystem>
#include <set>
#include <string>

#include "base/result.h"
#include "model/store.h"

namespace braid {

class RepositoryWriter {
 public:
  /// kInvalidArgument when the target holds anything that an earlier fit of this pipeline did not
  /// write: it would be lost.
  static Result<RepositoryWriter> begin(const std::filesystem::path& target,
                                        const std::string& pipeline);

  RepositoryWriter(RepositoryWriter&& other) noexcept;
  RepositoryWriter& operator=(RepositoryWriter&&) = delete;
  ~RepositoryWriter();

  /// Where everything is until it is published.
  const std::filesystem::path& folder() const { return folder_; }
  /// The top-level entries so far: what a later fit may replace.
  const std::set<std::string>& entries() const { return entries_; }

  /// NAME/1/FILE_NAME. kInvalidArgument when a model of that name is there already.
  Result<void> add_model(const std::string& name, const std::string& file_name,
                         const std::string& bytes);
  /// Links the model's version, and the files beside its versions, or copies where links do not
  /// reach. The same model twice is one.
  Result<void> add_encoder(const LoadedModel& model);
  /// PIPELINE/FILE_NAME.
  Result<void> add_pipeline_file(const std::string& file_name, const std::string& bytes);

  Result<void> publish();

 private:
  RepositoryWriter(std::filesystem::path target, std::string pipeline);

  std::filesystem::path target_;
  std::filesystem::path folder_;  // empty once published or moved from
  std::string pipeline_;
  std::set<std::string> entries_;
  std::set<std::string> encoders_;
};

}  // namespace braid

#pragma once
// Every hostile file, of every kind.

#include "modality/hostile/clips.h"
#include "modality/hostile/pictures.h"
#include "modality/hostile/sounds.h"
#include "modality/hostile/volumes.h"
#include "modality/preprocessor.h"

namespace braid::hostile {

inline HostileFiles records() {
  return {{"json_record", "record of 260,000 open brackets", "table",
           "schema: tests/data/modality/table/schema.json",
           [] { return std::string(260'000, '['); }, Code::kInvalidArgument, "JSON"},
          {"json_series", "series of a million open brackets", "series", "channels: [pulse]",
           [] { return std::string(1'000'000, '['); }, Code::kInvalidArgument, "JSON"}};
}

inline HostileFiles all() {
  HostileFiles files;
  for (const HostileFiles& of_kind : {volumes(), pictures(), sounds(), clips(), records()}) {
    files.insert(files.end(), of_kind.begin(), of_kind.end());
  }
  return files;
}

inline std::unique_ptr<Preprocessor> preprocessor_for(const HostileFile& file) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  const Result<Settings> settings = Settings::parse(file.settings);
  BRAID_CHECK(settings.has_value());
  auto made = registry.make(file.modality, *settings);
  BRAID_CHECK(made.has_value());
  return *std::move(made);
}

/// Opens the modules of video, whose cost comes once a process and is no file's.
inline void open_modules() {
  const auto made = preprocessor_for(clips().front());
  static_cast<void>(made->encode(shipped("video/bframes.mp4")).has_value());
}

}  // namespace braid::hostile

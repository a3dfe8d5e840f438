#pragma once
// Module: a shared object of ours that holds what would make every start slow (GDCM, FFmpeg). It is
// opened when an input first needs it; a server that never meets such an input never pays for it.
// A module is a folder src/<room>/modules/<name>/, built by braid_module() of cmake/modules.cmake.
// Threads: all functions from any. Life: what was opened stays until the process ends, since
// libraries with threads or statics of their own do not survive being closed.

#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"

namespace braid {

class Module {
 public:
  /// Opens libbraid_<name>.so from the first place that has it: the folder $BRAID_MODULES, the
  /// program's folder, ../lib/braid from there, and where the dynamic linker looks. Opening again
  /// costs microseconds. kUnsupported, with each place tried, what was wrong there, and the cure.
  static Result<Module> open(const std::string& name);

  /// The same from these folders alone.
  static Result<Module> open_in(const std::string& name,
                                std::span<const std::filesystem::path> folders);

  /// A function that the module gives as extern "C"; `Signature` is that of the header which module
  /// and caller share. Its name ends with the version of that header ("braid_dicom_decode_1"), so
  /// that a module of another version is refused and not called. No exception and no third-party
  /// type crosses. kUnsupported when the module has none of that name.
  template <typename Signature>
  Result<Signature*> function(const std::string& symbol) const {
    BRAID_TRY(void* const found, find(symbol));
    return reinterpret_cast<Signature*>(found);
  }

 private:
  Module(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  Result<void*> find(const std::string& symbol) const;

  std::string name_;
  void* handle_;  // never closed
};

}  // namespace braid

#include "base/module.h"

#include <cstdlib>
#include <system_error>
#include <vector>

#include <dlfcn.h>

namespace braid {
namespace {

using std::filesystem::path;

/// The empty path stands for the dynamic linker's own search.
std::vector<path> usual_folders() {
  std::vector<path> folders;
  if (const char* chosen = std::getenv("BRAID_MODULES"); chosen != nullptr && *chosen != '\0') {
    folders.emplace_back(chosen);
  }
  std::error_code failed;
  const path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    folders.push_back(program.parent_path());
    folders.push_back(program.parent_path().parent_path() / "lib" / "braid");
  }
  folders.emplace_back();
  return folders;
}

}  // namespace

Result<Module> Module::open(const std::string& name) { return open_in(name, usual_folders()); }

Result<Module> Module::open_in(const std::string& name, std::span<const path> folders) {
  const std::string file = "libbraid_" + name + ".so";
  std::string tried;
  for (const path& folder : folders) {
    const path place = folder / file;
    // All symbols now: what is missing is an error here and no crash later.
    if (void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
      return Module(name, handle);
    }
    const char* why = dlerror();
    tried += "; " + place.string() + " (" + (why != nullptr ? why : "unknown") + ")";
  }
  return Error{Code::kUnsupported,
               "the module '" + name + "' cannot be opened: put " + file +
                   " beside the program, or its folder into $BRAID_MODULES, and install the "
                   "libraries that it names. Tried" +
                   tried};
}

Result<void*> Module::find(const std::string& symbol) const {
  if (void* found = dlsym(handle_, symbol.c_str())) {
    return found;
  }
  return Error{Code::kUnsupported,
               "the module '" + name_ + "' has no function " + symbol +
                   ": it is of another version; build it together with the program"};
}

}  // namespace braid

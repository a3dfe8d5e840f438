// Keeps what may include what: the order of the rooms (src/LAYERS), no circle of headers, no third
// party in a header of ours, each library in one room.

#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidy/source.h"

namespace braid::tidy {
namespace {

using Layers = std::map<std::string, std::set<std::string>>;  // room → rooms that it may include

/// Drops a room that is not listed above the line that names it, so no cycle can be stated.
Layers parse_layers(const Lines& lines) {
  Layers layers;
  for (const std::string& line : lines) {
    if (line.starts_with('#')) {
      continue;
    }
    const std::string room = line.substr(0, line.find(':'));
    std::set<std::string> allowed = {room};
    std::istringstream names(line.substr(room.size() + 1));
    for (std::string name; names >> name;) {
      if (layers.contains(name)) {
        allowed.insert(name);
      }
    }
    layers[room] = allowed;
  }
  return layers;
}

/// "base" of "src/base/csv.h"; "" outside src/.
std::string room_of(const std::string& path) {
  const std::string prefix = "src/";
  const std::size_t end = path.find('/', prefix.size());
  const bool has_room = path.starts_with(prefix) && end != std::string::npos;
  return has_room ? path.substr(prefix.size(), end - prefix.size()) : "";
}

/// What stands between the marks of an include, or "".
std::string included(const std::string& line, char open, char close) {
  const std::string start = std::string("#include ") + open;
  if (!line.starts_with(start)) {
    return "";
  }
  return line.substr(start.size(), line.find(close, start.size()) - start.size());
}

/// Only src/ has rooms. A room without a line in src/LAYERS may include nothing.
bool may_include(const std::string& path, const std::string& line, const Layers& layers) {
  const std::string header = included(line, '"', '"');
  if (room_of(path).empty() || header.empty()) {
    return true;
  }
  const auto layer = layers.find(room_of(path));
  return layer != layers.end() && layer->second.contains(header.substr(0, header.find('/')));
}

/// The standard library's headers have neither a dot nor a folder.
bool is_standard(const std::string& header) {
  return header.find_first_of("./") == std::string::npos;
}

bool is_system(const std::string& header) {
  static const std::set<std::string> folders = {"sys", "netinet", "arpa", "net", "linux"};
  static const std::set<std::string> files = {"unistd.h", "fcntl.h",  "pthread.h", "dlfcn.h",
                                              "signal.h", "sched.h",  "poll.h",    "netdb.h",
                                              "time.h",   "stdlib.h", "string.h",  "malloc.h"};
  return files.contains(header) || folders.contains(header.substr(0, header.find('/')));
}

/// The name under which a library's headers are known: "boost" of "boost/asio/post.hpp".
std::string library_of(const std::string& header) {
  return header.substr(0, header.find_first_of("/."));
}

Lines include_complaints(const Source& source, const Layers& layers) {
  Lines found;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    const std::string header = included(line, '<', '>');
    if (!may_include(source.path, line, layers)) {
      found.push_back(complaint(source.path, i, "src/LAYERS forbids it: pass it from above"));
    }
    // gRPC's calls are templates over its own classes; they live in one folder.
    const bool is_grpc = source.path.starts_with("src/net/grpc/") && library_of(header) == "grpcpp";
    if (source.path.starts_with("src/") && source.path.ends_with(".h") && !is_standard(header) &&
        !is_grpc) {
      found.push_back(complaint(source.path, i, "no third party in a header: hide it in the .cc"));
    }
    const bool is_of_tests = header.starts_with("gtest/") || header.starts_with("gmock/");
    if (is_of_tests && !is_test(source.path)) {
      found.push_back(complaint(source.path, i, "only tests name GoogleTest"));
    }
  }
  return found;
}

/// Libraries that more than one room may name, each for a reason.
const std::map<std::string, std::set<std::string>>& shared_libraries() {
  static const std::set<std::string> all = {"base",   "tensor", "modality", "model",
                                            "fusion", "policy", "serve",    "measure",
                                            "net",    "learn",  "apps"};
  static const std::map<std::string, std::set<std::string>> shared = {
      {"fmt", all},                   // stands in for <format>, which libstdc++ 12 lacks
      {"simdjson", {"base", "net"}},  // net reads tensors without a tree between
      {"zlib", {"modality", "net"}},  // compressed volumes, compressed requests
      {"google", {"model", "net"}},   // protobuf: config.pbtxt, and the protocol of gRPC
  };
  return shared;
}

Lines library_complaints(const std::vector<Source>& tree) {
  std::map<std::string, std::map<std::string, std::string>> rooms_of_library;  // → room → place
  for (const Source& source : tree) {
    const bool counts = source.path.ends_with(".cc") && !room_of(source.path).empty() &&
                        !is_test(source.path) && !source.path.ends_with("_bench.cc");
    for (std::size_t i = 0; counts && i < source.lines.size(); ++i) {
      const std::string header = included(source.lines[i], '<', '>');
      if (!is_standard(header) && !is_system(header)) {
        rooms_of_library[library_of(header)].emplace(room_of(source.path),
                                                     complaint(source.path, i, ""));
      }
    }
  }
  Lines found;
  for (const auto& [library, rooms] : rooms_of_library) {
    const auto shared = shared_libraries().find(library);
    for (const auto& [room, place] : rooms) {
      const bool is_alone = shared == shared_libraries().end() && rooms.size() == 1;
      const bool is_known = shared != shared_libraries().end() && shared->second.contains(room);
      if (!is_alone && !is_known) {
        found.push_back(place + library + " is named in several rooms: keep it in one");
      }
    }
  }
  return found;
}

/// Follows quoted includes; names the first circle that it meets on each way.
class CircleFinder {
 public:
  explicit CircleFinder(const std::vector<Source>& tree) {
    for (const Source& source : tree) {
      const std::string prefix = "src/";
      const bool is_ours = source.path.starts_with(prefix);
      for (const std::string& line : source.lines) {
        const std::string header = included(line, '"', '"');
        if (is_ours && !header.empty()) {
          includes_[source.path.substr(prefix.size())].push_back(header);
        }
      }
    }
  }

  Lines find() {
    Lines found;
    for (const auto& [header, unused] : includes_) {
      visit(header, found);
    }
    return found;
  }

 private:
  enum class State { kNew, kOnTheWay, kDone };

  void visit(const std::string& header, Lines& found) {
    if (states_[header] == State::kDone) {
      return;
    }
    if (states_[header] == State::kOnTheWay) {
      found.push_back("src/" + header + ": includes itself in a circle: pass a value instead");
      return;
    }
    states_[header] = State::kOnTheWay;
    const auto next = includes_.find(header);
    if (next != includes_.end()) {
      for (const std::string& each : next->second) {
        visit(each, found);
      }
    }
    states_[header] = State::kDone;
  }

  std::map<std::string, Lines> includes_;
  std::map<std::string, State> states_;
};

TEST(TidyIncludes, FindsAnIncludeFromBelow) {
  const Layers layers = parse_layers({"# rooms", "base: serve", "tensor: base", "serve: base"});
  const auto complaints = [&](const char* path, const char* line) {
    return include_complaints({path, {line}}, layers).size();
  };
  EXPECT_EQ(complaints("src/base/a.cc", "#include \"serve/engine.h\""), 1U);  // a line allows it
  EXPECT_EQ(complaints("src/serve/a.cc", "#include \"tensor/tensor.h\""), 1U);
  EXPECT_EQ(complaints("src/attic/a.cc", "#include \"base/result.h\""), 1U);
  EXPECT_EQ(complaints("src/serve/a.cc", "#include \"base/result.h\""), 0U);
  EXPECT_EQ(complaints("tests/a.cc", "#include \"serve/engine.h\""), 0U);
}

TEST(TidyIncludes, FindsThirdPartiesWhereTheyDoNotBelong) {
  const auto complaints = [&](const char* path, const char* line) {
    return include_complaints({path, {line}}, parse_layers({"base:"})).size();
  };
  EXPECT_EQ(complaints("src/base/a.h", "#include <yaml-cpp/yaml.h>"), 1U);
  EXPECT_EQ(complaints("src/base/a.h", "#include <sys/stat.h>"), 1U);
  EXPECT_EQ(complaints("src/base/a.cc", "#include <gtest/gtest.h>"), 1U);
  EXPECT_EQ(complaints("src/base/a.h", "#include <string_view>"), 0U);
  EXPECT_EQ(complaints("src/base/a.cc", "#include <yaml-cpp/yaml.h>"), 0U);
  EXPECT_EQ(complaints("src/base/a_test.cc", "#include <gtest/gtest.h>"), 0U);
}

TEST(TidyIncludes, FindsALibraryInTwoRooms) {
  const Source in_base = {"src/base/a.cc", {"#include <yaml-cpp/yaml.h>"}};
  const Source in_serve = {"src/serve/a.cc", {"#include <yaml-cpp/yaml.h>"}};
  const Source in_test = {"src/serve/a_test.cc", {"#include <yaml-cpp/yaml.h>"}};
  const Source fmt_here = {"src/serve/b.cc", {"#include <fmt/format.h>", "#include <unistd.h>"}};
  const Source fmt_there = {"src/base/b.cc", {"#include <fmt/ranges.h>", "#include <unistd.h>"}};
  EXPECT_EQ(library_complaints({in_base, in_serve}).size(), 2U);  // one for each place
  EXPECT_EQ(library_complaints({in_base, in_test, fmt_here, fmt_there}), Lines{});
  EXPECT_EQ(library_complaints({{"src/learn/a.cc", {"#include <simdjson.h>"}}}).size(), 1U);
}

TEST(TidyIncludes, FindsACircleOfHeaders) {
  const Source a = {"src/base/a.h", {"#include \"base/b.h\""}};
  const Source b = {"src/base/b.h", {"#include \"base/c.h\""}};
  const Source c = {"src/base/c.h", {"#include \"base/a.h\""}};
  EXPECT_EQ(CircleFinder({a, b}).find(), Lines{});
  EXPECT_EQ(CircleFinder({a, b, c}).find().size(), 1U);
}

TEST(TidyIncludes, TheTreeIsClean) {
  const Layers layers = parse_layers(read_lines("src/LAYERS"));
  ASSERT_GT(layers.size(), 5U);
  const std::vector<Source> tree = code();
  Lines found = library_complaints(tree);
  for (const Source& source : tree) {
    std::ranges::move(include_complaints(source, layers), std::back_inserter(found));
  }
  std::ranges::move(CircleFinder(tree).find(), std::back_inserter(found));
  EXPECT_EQ(found, Lines{});
}

}  // namespace
}  // namespace braid::tidy

#pragma once
// For the tidy tests: the tree as paths and lines of text.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace braid::tidy {

using Lines = std::vector<std::string>;

struct Source {
  std::string path;  // relative to the root of the tree: "src/base/csv.cc"
  Lines lines;
};

inline Lines read_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Files below these folders with one of these extensions, in alphabetical order. A folder that is
/// not there holds nothing.
inline std::vector<Source> sources(const Lines& folders, const Lines& extensions) {
  std::vector<Source> found;
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (std::ranges::find(extensions, entry.path().extension().string()) != extensions.end()) {
        found.push_back({entry.path().string(), read_lines(entry.path())});
      }
    }
  }
  std::ranges::sort(found, {}, &Source::path);
  return found;
}

inline std::vector<Source> code() { return sources({"src", "tests"}, {".h", ".cc"}); }

/// One line for each broken rule: the place, as compilers write it, and the cure.
inline std::string complaint(const std::string& path, std::size_t line_index,
                             const std::string& cure) {
  return path + ":" + std::to_string(line_index + 1) + ": " + cure;
}

/// A line without what stands in quotes, which is data: words and braces in it mean nothing.
struct Stripped {
  std::string code;  // without comments
  std::string text;  // with them
};

/// Takes strings (raw ones over several lines too), characters and comments off whole files.
class Stripper {
 public:
  Stripped strip(const std::string& line) {
    Stripped stripped;
    std::size_t at = 0;
    while (at < line.size()) {
      if (!raw_end_.empty()) {
        at = after_raw_string(line, at);
      } else if (line.compare(at, 2, "//") == 0) {
        stripped.text = stripped.code + line.substr(at);
        return stripped;
      } else if (line.compare(at, 2, "R\"") == 0 && !follows_name(line, at)) {
        const std::size_t open = std::min(line.find('(', at), line.size());
        raw_end_ = ")" + line.substr(at + 2, open - at - 2) + "\"";
        stripped.code += '_';
        at = open + 1;
      } else if (line[at] == '"' || (line[at] == '\'' && !follows_name(line, at))) {
        at = after_quoted(line, at);
        stripped.code += '_';
      } else {
        stripped.code += line[at++];
      }
    }
    stripped.text = stripped.code;
    return stripped;
  }

 private:
  /// 1'000 is a number, and FOR"x" no raw string.
  static bool follows_name(const std::string& line, std::size_t at) {
    return at > 0 &&
           (std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0 || line[at - 1] == '_');
  }

  static std::size_t after_quoted(const std::string& line, std::size_t at) {
    const char quote = line[at];
    for (++at; at < line.size() && line[at] != quote; ++at) {
      at += line[at] == '\\' ? 1 : 0;
    }
    return at + 1;
  }

  std::size_t after_raw_string(const std::string& line, std::size_t at) {
    const std::size_t end = line.find(raw_end_, at);
    if (end == std::string::npos) {
      return line.size();
    }
    at = end + raw_end_.size();
    raw_end_.clear();
    return at;
  }

  std::string raw_end_;  // of the raw string that we are in; "" outside
};

/// Whether `word` stands in `code` as a whole name.
inline bool has_word(const std::string& code, const std::string& word) {
  const auto is_name = [&](std::size_t at) {
    return at < code.size() &&
           (std::isalnum(static_cast<unsigned char>(code[at])) != 0 || code[at] == '_');
  };
  for (std::size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name(at - 1);
    if (begins && !is_name(at + word.size())) {
      return true;
    }
  }
  return false;
}

/// Code points of UTF-8, which are the columns of an editor for the letters that we use.
inline std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

inline bool is_test(const std::string& path) {
  return path.starts_with("tests/") || path.ends_with("_test.cc");
}

}  // namespace braid::tidy

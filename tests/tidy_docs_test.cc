// Keeps the paths that documents and comments name: a reader who follows one must find it. And the
// tables that are rendered from docs/evidence/.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidy/source.h"

namespace braid::tidy {
namespace {

using Exists = std::function<bool(const std::string& path)>;

/// NAME, <name>, * and … stand for something.
bool is_placeholder(const std::string& path) {
  static const std::regex placeholder("[<>*]|\xE2\x80\xA6|\\.\\.\\.|NAME|NNNN");
  return std::regex_search(path, placeholder);
}

/// "src/a.{h,cc}" is two paths.
Lines expanded(const std::string& path) {
  const std::size_t open = path.find('{');
  const std::size_t close = path.find('}', open);
  if (open == std::string::npos || close == std::string::npos) {
    return {path};
  }
  Lines paths;
  std::size_t begin = open + 1;
  while (begin <= close) {
    const std::size_t end = std::min(path.find(',', begin), close);
    paths.push_back(path.substr(0, open) + path.substr(begin, end - begin) +
                    path.substr(close + 1));
    begin = end + 1;
  }
  return paths;
}

/// Paths of the tree on this line: back-quoted in a document, docs/….md in code.
Lines named_paths(const std::string& line, bool is_document) {
  static const std::regex quoted(
      "`((src|tests|docs|tools|bench|examples|deploy|cmake)/[^`\\s:#]*)");
  static const std::regex page("\\b(docs/[\\w/.-]+\\.(md|json))");
  Lines paths;
  if (line.find(is_document ? "`" : "docs/") == std::string::npos) {
    return paths;  // a regular expression takes a hundred times as long
  }
  const std::regex& wanted = is_document ? quoted : page;
  for (std::sregex_iterator at(line.begin(), line.end(), wanted), end; at != end; ++at) {
    std::string path = at->str(1);
    while (!path.empty() && std::string(".,;)").find(path.back()) != std::string::npos) {
      path.pop_back();
    }
    if (!is_placeholder(path)) {
      std::ranges::move(expanded(path), std::back_inserter(paths));
    }
  }
  return paths;
}

/// A page that shows how to add a thing says how that thing is called, for it is not there yet:
/// <!-- example: tally -->
Lines example_words(const Lines& lines) {
  const std::string mark = "<!-- example: ";
  Lines words;
  for (const std::string& line : lines) {
    if (line.starts_with(mark)) {
      words.push_back(line.substr(mark.size(), line.find(' ', mark.size()) - mark.size()));
    }
  }
  return words;
}

Lines path_complaints(const Source& source, const Exists& exists) {
  const Lines examples = example_words(source.lines);
  Lines found;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    for (const std::string& path : named_paths(source.lines[i], source.path.ends_with(".md"))) {
      const bool is_example = std::ranges::any_of(
          examples, [&](const std::string& word) { return path.find(word) != std::string::npos; });
      if (!is_example && !exists(path)) {
        found.push_back(complaint(source.path, i, path + " is not there: correct the path"));
      }
    }
  }
  return found;
}

TEST(TidyDocs, FindsAPathThatIsNotThere) {
  const Exists exists = [](const std::string& path) {
    return path == "src/base/csv.h" || path == "src/base/csv.cc" || path == "tools/render_docs";
  };
  const auto complaints = [&](const char* path, const char* line) {
    return path_complaints({path, {line}}, exists).size();
  };
  EXPECT_EQ(complaints("docs/a.md", "See `src/base/cvs.h`."), 1U);
  EXPECT_EQ(complaints("docs/a.md", "See `src/base/csv.{h,cc,md}`."), 1U);
  EXPECT_EQ(complaints("src/a.h", "// docs/none.md says how."), 1U);
  EXPECT_EQ(complaints("docs/a.md", "`src/base/csv.h:12`, `tools/render_docs --check`."), 0U);
  EXPECT_EQ(complaints("docs/a.md", "`src/base/csv.{h,cc}`, `src/<room>/x`, `docs/NAME.md`"), 0U);
  EXPECT_EQ(complaints("docs/a.md", "src/none.h without quotes"), 0U);
  EXPECT_EQ(
      path_complaints({"docs/a.md", {"<!-- example: tally -->", "`src/base/tally.cc`"}}, exists),
      Lines{});
  EXPECT_EQ(complaints("src/a.h", "// docs/NAME.md is whatever it is called"), 0U);
}

TEST(TidyDocs, TheTreeIsClean) {
  std::vector<Source> documents =
      sources({"docs", "tests", "tools", "bench", "examples", "deploy"}, {".md"});
  for (const char* name : {"README.md", "CONTRIBUTING.md"}) {
    documents.push_back({name, read_lines(name)});
  }
  std::ranges::move(sources({"src"}, {".h", ".cc"}), std::back_inserter(documents));
  const Exists exists = [](const std::string& path) { return std::filesystem::exists(path); };
  Lines found;
  for (const Source& source : documents) {
    std::ranges::move(path_complaints(source, exists), std::back_inserter(found));
  }
  EXPECT_EQ(found, Lines{});
}

TEST(TidyDocs, TablesAreThoseOfTheEvidence) {
  EXPECT_EQ(std::system("python3 tools/render_docs --check"), 0)
      << "run tools/render_docs and commit the pages";
}

}  // namespace
}  // namespace braid::tidy

#include "output/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace fs = std::filesystem;
using sinkproof::output::TemporaryFolder;

TEST_CASE("Temporary folders differ and are gone with all in them") {
  fs::path gone;
  {
    const TemporaryFolder one;
    const TemporaryFolder other;
    CHECK(one.path() != other.path());
    std::ofstream(one / "file") << "text";
    CHECK(fs::exists(one / "file"));
    gone = one.path();
  }
  CHECK_FALSE(fs::exists(gone));
}

// ctest runs tests side by side: a file of a fixed name, or of a name that others can make, is
// another test's too.
TEST_CASE("No C++ test names a file outside a folder of its own") {
  const fs::path tests = fs::path(SINKPROOF_SOURCE_DIR) / "tests";
  static const std::regex shared(
      R"(temp_directory_path|mkdtemp|getpid|SINKPROOF_BINARY_DIR|"/tmp)");
  const std::set<fs::path> reads_only = {"embed/embed_test.cpp", "output/temporary_folder_test.cpp",
                                         "prove/construction_test.cpp", "report/report_test.cpp"};
  int read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    const fs::path name = fs::relative(entry.path(), tests);
    if (name.extension() != ".cpp" && name.extension() != ".hpp") continue;
    ++read;
    if (reads_only.contains(name)) continue;
    std::ifstream input(entry.path());
    const std::string text(std::istreambuf_iterator<char>(input), {});
    INFO(name);
    CHECK_FALSE(std::regex_search(text, shared));
  }
  CHECK(read > 100);
}

// The trusted checker sees nothing but what it may see. The build enforces the arrows between
// folders; this reads the text itself, so that no system library, no solver and no floating-point
// number slips in.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "rounded/double.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream input(path);
  std::stringstream text;
  text << input.rdbuf();
  return text.str();
}

// The rooms that those of the checker may include, the standard headers, and for the program's
// entrance the parser of its command line.
bool is_allowed(const std::string& include, bool is_entrance) {
  static const std::regex ours(
      R"re("(exact|file|json|safetensors|certificate|forward|vectors|theory|attention|sampling|language|check)(/[a-z0-9_]+)+\.hpp")re");
  static const std::set<std::string> standard = {
      "<algorithm>",    "<array>",        "<bit>",
      "<compare>",      "<cstddef>",      "<cstdint>",
      "<exception>",    "<filesystem>",   "<boost/container/static_vector.hpp>",
      "<gmp.h>",        "<iterator>",     "<functional>",
      "<memory>",       "<mutex>",        "<initializer_list>",
      "<new>",          "<limits>",       "<map>",
      "<numeric>",      "<optional>",     "<set>",
      "<span>",         "<stdexcept>",    "<string>",
      "<string_view>",  "<system_error>", "<tuple>",
      "<utility>",      "<variant>",      "<vector>",
      "<unordered_map>"};
  if (is_entrance && (include == "<CLI/CLI.hpp>" || include == "<iostream>")) return true;
  return std::regex_match(include, ours) || standard.contains(include);
}

// What limits.cpp needs to run a check in a child process, and no other file.
const std::set<std::string> kOfLimits = {
    "<fcntl.h>", "<sys/resource.h>", "<sys/wait.h>", "<sys/prctl.h>", "<unistd.h>", "<cerrno>",
    "<csignal>", "<cstring>",        "<ctime>",      "<iomanip>",     "<sstream>",  "fork"};

bool is_entrance(const std::string& name) {
  return name == "main.cpp" || name == "command_line.cpp" || name == "command_line.hpp";
}

std::string first_problem(const std::string& text, bool entrance = false) {
  static const std::regex include(R"(#\s*include\s*(\S+))");
  for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
    if (!is_allowed((*match)[1], entrance)) return (*match)[1];
  }
  static const std::regex inexact(R"(\b(float|double|rounded::\w+|system|popen|fork|exec\w*)\b)");
  std::smatch found;
  return std::regex_search(text, found, inexact) ? found[0].str() : "";
}

// The first floating-point type named outside comments, or rounding for people.
std::string inexact_word(const std::string& text) {
  static const std::regex comment(R"(//[^\n]*)");
  static const std::regex inexact(R"(\b(float|double|rounded::\w+)\b)");
  const std::string code = std::regex_replace(text, comment, "");
  std::smatch found;
  return std::regex_search(code, found, inexact) ? found[0].str() : "";
}

}  // namespace

TEST_CASE("The checker and its forward passes include only what they may, and compute exactly") {
  for (const std::string room :
       {"attention", "check", "forward", "language", "sampling", "theory", "vectors"}) {
    int seen = 0;
    for (const auto& entry : fs::recursive_directory_iterator(kSource / "src/checker" / room)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name == "CMakeLists.txt") continue;
      INFO(entry.path().string());
      CHECK((name.ends_with(".hpp") || name.ends_with(".cpp")));
      std::string text = text_of(entry.path());
      if (room == "check" && name == "limits.cpp") {
        for (const std::string& word : kOfLimits) {
          const std::size_t at = text.find(word);
          CHECK(at != text.npos);
          for (std::size_t i = at; i != text.npos; i = text.find(word)) {
            text.replace(i, word.size(), "<string>");
          }
        }
      }
      CHECK(first_problem(text, room == "check" && is_entrance(name)) == "");
      ++seen;
    }
    CHECK(seen >= 3);
  }
}

TEST_CASE("What the checker rests on knows no floating-point numbers, and writes no files") {
  int seen = 0;
  for (const std::string folder :
       {"base/exact", "base/json", "base/file", "base/safetensors", "checker/certificate"}) {
    for (const auto& entry : fs::directory_iterator(kSource / "src" / folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".hpp") && !name.ends_with(".cpp")) continue;
      INFO(entry.path().string());
      const std::string text = text_of(entry.path());
      CHECK(inexact_word(text) == "");
      CHECK(text.find("::write(") == std::string::npos);
      CHECK(text.find("\"output/") == std::string::npos);
      ++seen;
    }
  }
  CHECK(seen >= 40);
  CHECK(inexact_word("// a double\nint doubled;") == "");
  CHECK(inexact_word("double x;") == "double");
}

TEST_CASE("The build links into the checker only the folders it may use") {
  const std::string text = text_of(kSource / "src/checker/check/CMakeLists.txt");
  std::smatch uses;
  REQUIRE(std::regex_search(text, uses, std::regex(R"(USES ([a-z ]+))")));
  CHECK(uses[1] ==
        "exact file json safetensors certificate vectors theory attention sampling "
        "language");
  // Every library or target the file names, by this project's and by imported names.
  static const std::regex target(R"(\b(sinkproof_\w+|\w+::\w+|PkgConfig\S*))");
  const std::set<std::string> allowed = {"sinkproof_folder",
                                         "sinkproof_target",
                                         "sinkproof_program",
                                         "sinkproof_check",
                                         "sinkproof_check_command_line",
                                         "sinkproof_warnings",
                                         "CLI11::CLI11"};
  for (std::sregex_iterator match(text.begin(), text.end(), target), end; match != end; ++match) {
    INFO((*match)[1]);
    CHECK(allowed.contains((*match)[1]));
  }
}

TEST_CASE("What must not be in the checker is recognised") {
  for (const std::string text :
       {"#include \"prove/smt.hpp\"", "#include <z3++.h>", "#include <cmath>",
        "#  include <toml++/toml.h>", "#include \"../prove/smt.hpp\"", "#include <random>",
        "double x = 0;", "float y;", "rounded::to_double_estimate(x)", "system(\"z3\")"}) {
    INFO(text);
    CHECK(first_problem(text) != "");
  }
  CHECK(first_problem("#include <CLI/CLI.hpp>") != "");
  CHECK(first_problem("#include <CLI/CLI.hpp>", true) == "");
  CHECK(first_problem("#include <z3++.h>", true) != "");
  CHECK(first_problem("#include \"exact/rational.hpp\"\n#include <map>\nint doubled = 2;") == "");
}

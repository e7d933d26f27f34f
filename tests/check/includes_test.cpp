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

namespace fs = std::filesystem;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream input(path);
  std::stringstream text;
  text << input.rdbuf();
  return text.str();
}

// The folders src/check may include, and the standard headers.
bool is_allowed(const std::string& include) {
  static const std::regex ours(
      R"re("(exact|file|json|safetensors|certificate|check)/[a-z0-9_]+\.hpp")re");
  static const std::set<std::string> standard = {
      "<algorithm>",  "<array>",   "<cstddef>",   "<cstdint>", "<filesystem>",
      "<functional>", "<limits>",  "<map>",       "<numeric>", "<optional>",
      "<set>",        "<span>",    "<stdexcept>", "<string>",  "<string_view>",
      "<tuple>",      "<utility>", "<variant>",   "<vector>"};
  return std::regex_match(include, ours) || standard.contains(include);
}

std::string first_problem(const std::string& text) {
  static const std::regex include(R"(#\s*include\s*(\S+))");
  for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
    if (!is_allowed((*match)[1])) return (*match)[1];
  }
  static const std::regex inexact(
      R"(\b(float|double|to_double_estimate|from_double|system|popen|fork|exec\w*)\b)");
  std::smatch found;
  return std::regex_search(text, found, inexact) ? found[0].str() : "";
}

}  // namespace

TEST_CASE("src/check includes only what a trusted checker may, and computes exactly") {
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "src" / "check")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "CMakeLists.txt") continue;
    INFO(entry.path().string());
    CHECK((name.ends_with(".hpp") || name.ends_with(".cpp")));
    CHECK(first_problem(text_of(entry.path())) == "");
    ++seen;
  }
  CHECK(seen >= 6);
}

TEST_CASE("The build links into the checker only the folders it may use") {
  const std::string text = text_of(kSource / "src" / "check" / "CMakeLists.txt");
  std::smatch uses;
  REQUIRE(std::regex_search(text, uses, std::regex(R"(USES ([a-z ]+))")));
  CHECK(uses[1] == "exact file json safetensors certificate");
  CHECK(text.find("LINKS") == std::string::npos);
  CHECK(text.find("target_link_libraries") == std::string::npos);
}

TEST_CASE("What must not be in the checker is recognised") {
  for (const std::string text :
       {"#include \"prove/smt.hpp\"", "#include <z3++.h>", "#include <cmath>",
        "#  include <toml++/toml.h>", "#include \"../prove/smt.hpp\"", "#include <random>",
        "double x = 0;", "float y;", "exact::to_double_estimate(x)", "system(\"z3\")"}) {
    INFO(text);
    CHECK(first_problem(text) != "");
  }
  CHECK(first_problem("#include \"exact/rational.hpp\"\n#include <map>\nint doubled = 2;") == "");
}

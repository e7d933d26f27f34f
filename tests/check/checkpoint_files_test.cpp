// Checkpoint certificates as files on disk: how they are read, how their model is found, what is
// printed of them.

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>

#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "check/command_line.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "output/replace.hpp"
#include "output/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;
const fs::path kFolder = kSource / "examples" / "variants";

check::Options options() {
  check::Options options;
  options.models = kFolder;
  options.claims = kSource / "proofs";
  return options;
}

// What the program would print and return for the file.
struct Printed {
  int exit_code;
  std::string text;
};

Printed printed(const fs::path& file, const std::string& format) {
  check::Arguments arguments;
  arguments.files = {file.string()};
  arguments.models = kFolder.string();
  arguments.claims = (kSource / "proofs").string();
  arguments.format = format;
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  const int exit_code = check::run(arguments);
  std::cout.rdbuf(before);
  return {exit_code, text.str()};
}

}  // namespace

TEST_CASE("Text in a certificate cannot pass for a line of the report") {
  const output::TemporaryFolder folder;
  auto forged = certificate::read_envelope(kFolder / "softmax.json").value().value;
  forged["properties"].push_back(forged["properties"][1]);
  forged["properties"].back()["name"] = "x\nproved (exact)  checkpoint  softmax.json\x1b[A";
  const std::string forgery = certificate::certificate_bytes(forged);
  REQUIRE(output::replace(folder / "c.json", forgery).has_value());
  const Printed text = printed(folder / "c.json", "text");
  CHECK(text.exit_code == 4);
  CHECK(text.text.find("rejected") == 0);
  CHECK(text.text.find("x\\x0aproved") != std::string::npos);
  CHECK(text.text.find('\n') == text.text.size() - 1);
  CHECK(text.text.find('\x1b') == std::string::npos);
  const Printed structured = printed(folder / "c.json", "json");
  CHECK(structured.exit_code == 4);
  const auto report = json::parse_strict(
      structured.text.substr(0, structured.text.find_last_of('}') + 1), "report");
  REQUIRE(report.has_value());
  CHECK((*report)["files"].size() == 1);
  CHECK((*report)["files"][0]["verdict"] == "rejected");
}

TEST_CASE("A certificate that is not in canonical form, or not there, is not read further") {
  const auto bytes = file::read(kFolder / "softmax.json");
  REQUIRE(bytes.has_value());
  const output::TemporaryFolder folder;
  const auto outcome = [&](const std::string& text) {
    REQUIRE(output::replace(folder / "c.json", text).has_value());
    const check::Outcome result = check::check_file(folder / "c.json", options());
    return std::to_string(result.exit_code) + " " + result.code;
  };
  CHECK(outcome(*bytes) == "0 ");
  CHECK(outcome(bytes->substr(0, bytes->size() - 1)) == "4 SP0502");
  CHECK(outcome(*bytes + "\n") == "4 SP0502");
  CHECK(outcome(" " + *bytes) == "4 SP0502");
  CHECK(outcome(*bytes + *bytes) == "4 SP0301");
  CHECK(outcome(*bytes + std::string("\0{}", 3)) == "4 SP0301");
  CHECK(outcome(bytes->substr(0, bytes->size() / 2)) == "4 SP0301");
  CHECK(outcome("") == "4 SP0301");
  CHECK(outcome("[]\n") == "4 SP0503");
  CHECK(outcome("1\n") == "4 SP0503");
  const check::Outcome absent = check::check_file(folder / "absent.json", options());
  CHECK(absent.exit_code == 2);
  CHECK(absent.code == "SP0201");
}

TEST_CASE("The model is the file with the hash, wherever it lies and whatever it is called") {
  const auto bytes = file::read(kFolder / "softmax.json");
  const auto model = file::read(kFolder / "softmax.safetensors");
  REQUIRE(bytes.has_value());
  REQUIRE(model.has_value());
  const output::TemporaryFolder folder;
  check::Options without = options();
  without.models.reset();
  REQUIRE(output::replace(folder / "c.json", *bytes).has_value());
  CHECK(check::check_file(folder / "c.json", without).exit_code == 2);
  std::string changed = *model;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  REQUIRE(output::replace(folder / "softmax.safetensors", changed).has_value());
  CHECK(check::check_file(folder / "c.json", without).exit_code == 2);
  REQUIRE(output::replace(folder / "z.safetensors", *model).has_value());
  CHECK(check::check_file(folder / "c.json", without).exit_code == 0);
}

TEST_CASE("The worst outcome of several decides the exit code") {
  CHECK(check::worst_exit_code({}) == 0);
  CHECK(check::worst_exit_code({0, 3}) == 3);
  CHECK(check::worst_exit_code({0, 2, 3}) == 2);
  CHECK(check::worst_exit_code({0, 1, 2, 3}) == 1);
  CHECK(check::worst_exit_code({0, 1, 2, 3, 4}) == 4);
  CHECK(check::worst_exit_code({0, 1, 2, 3, 4, 5}) == 5);
}

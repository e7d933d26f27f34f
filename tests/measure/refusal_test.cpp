// What leaves a run of `measure` or `cost` was taken by the checker; what it refuses leaves
// nothing.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "accept/accept.hpp"
#include "files.hpp"
#include "measure/run.hpp"
#include "measure/weigh.hpp"
#include "output/replace.hpp"
#include "output/temporary_folder.hpp"

using namespace sinkproof;

namespace {

// A file of four orthonormal tokens, gone with this object.
struct TokenFile {
  output::TemporaryFolder folder;
  std::string path = (folder / "tokens.safetensors").string();

  TokenFile() {
    const auto file = test::file_of(
        {{"tokens", test::rows64({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}})}});
    REQUIRE(output::replace(path, file.bytes));
  }
};

const std::string kHash(64, '0');

measure::Accept refusing(const std::string& code, int& asked) {
  return [&asked, code](const json::Value&, const std::vector<std::string>&) {
    ++asked;
    return exact::Result<void>(exact::fail(code, "", "no"));
  };
}

}  // namespace

TEST_CASE("A cost the checker refuses is not handed on, and no map is written") {
  const TokenFile tokens;
  measure::WeighRequest request;
  request.file = tokens.path;
  request.save = (tokens.folder / "map-").string();
  const auto silent = [](const std::string&, double) {};
  for (const auto& [said, told] : {std::pair<std::string, std::string>{"SP0801", "SP1303"},
                                   {"SP0999", "SP1304"},
                                   {"SP0905", "SP0905"}}) {
    int asked = 0;
    const auto refused = measure::weigh(request, kHash, refusing(said, asked), silent);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == told);
    CHECK(asked == 1);
    CHECK_FALSE(std::filesystem::exists(tokens.folder / "map-sink-A.safetensors"));
  }
  const auto taken = measure::weigh(request, kHash, accept::ask_about_vectors, silent);
  REQUIRE(taken.has_value());
  CHECK(taken->saved.size() == 2);
  CHECK(std::filesystem::exists(tokens.folder / "map-sink-A.safetensors"));
}

TEST_CASE("A measurement the checker refuses is not handed on") {
  const TokenFile tokens;
  measure::RunRequest request;
  request.file = tokens.path;
  const auto silent = [](const std::string&, double) {};
  int asked = 0;
  const auto refused = measure::run(request, kHash, refusing("SP0801", asked), silent);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == "SP1303");
  CHECK(asked == 1);
  const auto taken = measure::run(request, kHash, accept::ask_about_vectors, silent);
  REQUIRE(taken.has_value());
  CHECK(taken->found.size() == 1);
}

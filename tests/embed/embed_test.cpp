// The checker as a library says what the checker says: of a file, and of the same bytes in memory.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certify/certify.hpp"
#include "exact/rational.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "model/attention_model.hpp"
#include "output/temporary_folder.hpp"
#include "sinkproof/check.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;
const fs::path kVariants = kSource / "examples" / "variants";
const fs::path kLies = fs::path(SINKPROOF_BINARY_DIR) / "lies" / "checkpoint";

std::string bytes_of(const fs::path& path) {
  auto bytes = file::read(path);
  REQUIRE(bytes.has_value());
  return *std::move(bytes);
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  return files;
}

std::vector<std::string> models_in(const fs::path& folder) {
  std::vector<std::string> models;
  for (const fs::path& path : files_in(folder, ".safetensors")) models.push_back(bytes_of(path));
  return models;
}

CheckOptions claims_of_the_source() {
  CheckOptions options;
  options.claims = kSource / "proofs";
  return options;
}

json::Value certificate_value(const fs::path& path) {
  auto envelope = certificate::read_envelope(path);
  REQUIRE(envelope.has_value());
  return envelope->value;
}

CheckOutcome checked(const json::Value& value, const std::vector<std::string>& models,
                     const CheckOptions& options = claims_of_the_source()) {
  return check_bytes(certificate::certificate_bytes(value), models, options);
}

}  // namespace

TEST_CASE("Bytes in memory get the verdict of the same files") {
  struct Place {
    fs::path folder;
    fs::path claims;
  };
  std::vector<Place> places = {{kVariants, kSource / "proofs"},
                               {kSource / "examples" / "costs", kSource / "proofs"}};
  for (const auto& lie : fs::directory_iterator(kLies)) {
    places.push_back({lie.path() / "certificates", lie.path() / "proofs"});
  }
  std::map<std::string, int> codes;
  for (const Place& place : places) {
    const auto models = models_in(place.folder);
    CheckOptions options;
    options.models = place.folder;
    options.claims = place.claims;
    for (const fs::path& path : files_in(place.folder, ".json")) {
      INFO(path.string());
      const std::string bytes = bytes_of(path);
      if (bytes.find(R"("kind":"theory")") != std::string::npos) continue;  // checked from its file
      const CheckOutcome from_file = check_file(path, options);
      const CheckOutcome from_bytes = check_bytes(bytes, models, options);
      CHECK(from_file.file == path.string());
      CHECK(from_bytes.file.empty());
      CHECK(from_bytes.claim == from_file.claim);
      CHECK(from_bytes.verdict == from_file.verdict);
      CHECK(from_bytes.evidence == from_file.evidence);
      CHECK(from_bytes.code == from_file.code);
      CHECK(from_bytes.exit_code == from_file.exit_code);
      CHECK(from_file.accepted() == (from_file.exit_code == 0));
      ++codes[from_file.code];
    }
  }
  CHECK(codes[""] >= 20);  // accepted
  CHECK(codes["SP0901"] >= 40);
  CHECK(codes["SP0503"] >= 10);
}

TEST_CASE("A theory claim needs its folder, and trust where it rests on another program") {
  const fs::path path = kSource / "certificates" / "tc-6.json";
  const CheckOutcome distrustful = check_file(path, claims_of_the_source());
  CHECK(distrustful.claim == "tc-6");
  CHECK(distrustful.verdict == "unknown");
  CHECK(distrustful.exit_code == 3);
  CheckOptions options = claims_of_the_source();
  options.trust.coq = true;
  CHECK(check_file(path, options).exit_code == 3);
  options.trust.smt = true;
  CHECK(check_file(path, options).verdict == "proved");
  CHECK(check_file(path, options).accepted());
  const CheckOutcome in_memory = check_bytes(bytes_of(path), {}, options);
  CHECK(in_memory.exit_code == 2);
  CHECK(in_memory.code == "SP0503");
  CHECK(in_memory.claim == "tc-6");
}

TEST_CASE("Bytes that are no certificate, or about another text, are rejected") {
  const auto models = models_in(kVariants);
  CHECK(check_bytes("", {}).code == "SP0301");
  CHECK(check_bytes("{}\n", {}).code == "SP0503");
  CHECK(check_bytes("{}\n", {}).exit_code == 4);
  const json::Value good = certificate_value(kVariants / "softmax.json");
  REQUIRE(checked(good, models).accepted());

  json::Value other_text = good;
  other_text["claim_sha256"] = std::string(64, '0');
  CHECK(checked(other_text, models).code == "SP0901");
  other_text["format"] = 1;
  CHECK(checked(other_text, models).code == "SP0505");
  other_text["format"] = 2;
  other_text.erase("claim_sha256");
  CHECK(checked(other_text, models).exit_code == 4);

  json::Value other_claim = good;
  other_claim["claim"] = "vectors";
  CHECK(checked(other_claim, models).exit_code == 4);
  CHECK(checked(other_claim, models).code == "SP0901");

  for (const char* claim : {"vectors", "language"}) {  // as vectors it was read once
    json::Value language = good;
    language["kind"] = "language";
    language["claim"] = claim;
    language["format"] = 1;
    CHECK(checked(language, models).exit_code == 2);
    CHECK(checked(language, models).code == "SP0503");
  }

  for (const json::Value& model :
       {json::Value(), json::Value::array({1}), json::Value("x"), json::Value::object()}) {
    json::Value without_model = good;
    without_model["model"] = model;
    INFO(model.dump());
    CHECK(checked(without_model, models).exit_code == 4);
  }
}

TEST_CASE("What is not there is named: the model, the claims") {
  const json::Value good = certificate_value(kVariants / "softmax.json");
  CHECK(checked(good, {}).exit_code == 2);
  CHECK(checked(good, {}).code == "SP0903");
  CheckOptions options;
  options.claims = kSource / "tests";
  CHECK(checked(good, models_in(kVariants), options).code == "SP0904");
  CHECK(check_file("no/such/file.json").code == "SP0201");
  CHECK(check_file("no/such/file.json").exit_code == 2);
}

TEST_CASE("A statistical bound is accepted only when the caller asks for it") {
  const fs::path path = kSource / "tests" / "checkpoints" / "softmax-d8-l8.safetensors";
  const auto model = model::load(path, {});
  REQUIRE(model.has_value());
  certify::Options search;
  search.claim_hash = *certificate::claim_hash(kSource / "proofs" / "checkpoint");
  search.properties = {"theorem.tc-2"};
  search.samples = 1000;
  search.eta = exact::make_rational(1, 250);
  const auto certification = certify::certify(*model, search);
  REQUIRE(certification.has_value());
  CheckOptions options = claims_of_the_source();
  const CheckOutcome distrustful = checked(certification->certificate(), {bytes_of(path)}, options);
  CHECK(distrustful.verdict == "statistical");
  CHECK(distrustful.exit_code == 3);
  options.trust.statistical = true;
  CHECK(checked(certification->certificate(), {bytes_of(path)}, options).accepted());
}

TEST_CASE("A limit ends the check, and without one it runs in this process", "[seconds]") {
  const fs::path lie =
      kLies / "SP0901-random-of-the-most-samples-for-its-length" / "certificates" / "lie.json";
  CheckOptions options;
  options.claims = lie.parent_path() / ".." / "proofs";
  const std::string bytes = bytes_of(lie);
  const auto models = models_in(lie.parent_path());
  // Whether a child process took some time in it.
  const auto has_child = [](const auto& check) {
    rusage before{};
    getrusage(RUSAGE_CHILDREN, &before);
    CHECK(check().code == "SP0901");
    rusage after{};
    getrusage(RUSAGE_CHILDREN, &after);
    return after.ru_minflt > before.ru_minflt;
  };
  for (const bool is_limited : {false, true}) {
    CAPTURE(is_limited);
    if (is_limited) options.limits = Limits{};
    CHECK(has_child([&] { return check_file(lie, options); }) == is_limited);
    CHECK(has_child([&] { return check_bytes(bytes, models, options); }) == is_limited);
  }
#ifndef __SANITIZE_ADDRESS__
  const output::TemporaryFolder folder;
  const fs::path large = folder / "large.json";
  std::ofstream(large) << std::string(20'000'000, ' ');
  options.limits->memory = 0;  // as 1
  CHECK(check_file(large, options).code == "SP0905");
  CHECK(check_file(large, options).exit_code == 3);
  options.limits->memory = 4000000000U;
  CHECK(check_file(large, options).code == "SP0301");
  CHECK(check_file(lie, options).code == "SP0901");
#endif
}

TEST_CASE("The public header needs nothing but the standard library") {
  std::ifstream input(kSource / "src/apps/embed/include/sinkproof/check.hpp");
  std::stringstream text;
  text << input.rdbuf();
  const std::string header = text.str();
  static const std::regex include(R"(#\s*include\s*(\S+))");
  int seen = 0;
  for (std::sregex_iterator match(header.begin(), header.end(), include), end; match != end;
       ++match) {
    const std::string name = (*match)[1];
    INFO(name);
    CHECK(std::regex_match(name, std::regex("<[a-z_]+>")));
    ++seen;
  }
  CHECK(seen == 5);
}

TEST_CASE("The library knows its version") {
  CHECK(std::regex_match(std::string(version()), std::regex(R"([0-9]+\.[0-9]+\.[0-9]+)")));
}

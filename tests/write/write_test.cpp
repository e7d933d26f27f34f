// What is written is what was read: every committed certificate that is read into one type, written
// again, has the same bytes.
#include "write/write.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "../certificate/language_sample.hpp"
#include "certificate/cover.hpp"
#include "certificate/envelope.hpp"
#include "certificate/language.hpp"
#include "certificate/step.hpp"
#include "certificate/vectors.hpp"

using namespace sinkproof;
namespace fs = std::filesystem;
using certificate::Kind;
using json::Value;

namespace {

Value written_again(const certificate::Envelope& envelope) {
  const Value& value = envelope.value;
  switch (envelope.kind) {
    case Kind::kTheory:
      return write::written(certificate::read<certificate::Theory>(value, "certificate"));
    case Kind::kCheckpoint: {
      const auto read = certificate::read_checkpoint(value);
      return read ? write::written(*read) : Value(read.error().where + ": " + read.error().what);
    }
    case Kind::kVectors:
      return write::written(certificate::read_vectors(value), certificate::kMaxVectors);
    case Kind::kLanguage:
      return write::written(certificate::read_language(value));
    case Kind::kCover:
      return write::written(certificate::read_cover(value));
  }
  throw std::logic_error("a kind that this test does not know");
}

std::map<Kind, int> rewritten(const fs::path& folder) {
  std::map<Kind, int> count;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const auto envelope = certificate::read_envelope(entry.path());
    if (!envelope) continue;
    INFO(entry.path().string());
    CHECK(json::canonical(written_again(*envelope)) == json::canonical(envelope->value));
    ++count[envelope->kind];
  }
  return count;
}

}  // namespace

TEST_CASE("committed certificates are the same bytes when they are written again") {
  std::map<Kind, int> count;
  const fs::path source = SINKPROOF_SOURCE_DIR;
  for (const char* folder :
       {"certificates", "examples", "tests/reject", "tests/recheck", "tests/browser"}) {
    for (const auto& [kind, found] : rewritten(source / folder)) count[kind] += found;
  }
  CHECK(count[Kind::kTheory] >= 24);
  CHECK(count[Kind::kCheckpoint] >= 30);
  CHECK(count[Kind::kVectors] >= 10);
  CHECK(count[Kind::kLanguage] >= 3);
  CHECK(count[Kind::kCover] >= 1);
}

TEST_CASE("a language certificate with every form of statement is written as it was read") {
  const Value certificate = test::accepted_language();
  CHECK(write::written(certificate::read_language(certificate)) == certificate);
}

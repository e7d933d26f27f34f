// new-claim's folders: all of it or nothing, and nothing that was there is touched.
#include "claim/skeleton.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "claim/claim.hpp"
#include "claim/skeleton_text.hpp"
#include "output/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using namespace sinkproof::claim;

namespace {

class Folder : public output::TemporaryFolder {
 public:
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string code_of(const fs::path& proofs, const std::string& id, const std::string& kind) {
  const auto files = write_skeleton(proofs, id, kind);
  return files ? "none" : files.error().code;
}

}  // namespace

TEST_CASE("Every kind's skeleton is a claim that loads, with no placeholder left in it") {
  const auto kinds = skeleton_kinds();
  CHECK(kinds ==
        std::vector<std::string>{"identity", "implication", "smt", "construction", "checkpoint"});
  for (const std::string& kind : kinds) {
    INFO(kind);
    const Folder folder;
    const auto files = write_skeleton(folder.path(), "mine", kind);
    REQUIRE(files.has_value());
    CHECK(files->size() >= 3);
    for (const std::string& file : *files) {
      INFO(file);
      const std::string text = text_of(folder.path() / "mine" / file);
      CHECK_FALSE(text.empty());
      CHECK(text.find('@') == std::string::npos);
    }
    const auto claim = load_claim(folder.path() / "mine");
    if (!claim) FAIL(claim.error().where << ": " << claim.error().what);
    CHECK(claim->id == "mine");
    CHECK(claim->checkpoint.has_value() == (kind == "checkpoint"));
    CHECK(claim->steps.empty() == (kind == "checkpoint"));
    CHECK(folder.entries() == 1);
    const auto mode = fs::status(folder.path() / "mine").permissions();
    CHECK((mode & fs::perms::others_read) != fs::perms::none);
  }
}

TEST_CASE("The texts in the program are the files of src/search/claim/skeletons, byte for byte") {
  const fs::path source = fs::path(SINKPROOF_SOURCE_DIR) / "src/search/claim/skeletons";
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  CHECK(files == skeleton_texts().size());
  for (const SkeletonText& text : skeleton_texts()) {
    CHECK(text_of(source / text.kind / text.file) == text.text);
  }
}

TEST_CASE("A skeleton touches nothing that is there") {
  const Folder folder;
  fs::create_directory(folder.path() / "empty");
  fs::create_directory(folder.path() / "full");
  std::ofstream(folder.path() / "full" / "claim.toml") << "mine";
  std::ofstream(folder.path() / "file") << "mine";
  fs::create_symlink("nowhere", folder.path() / "link");
  for (const std::string id : {"empty", "full", "file", "link"}) {
    INFO(id);
    CHECK(code_of(folder.path(), id, "identity") == "SP1311");
  }
  CHECK(text_of(folder.path() / "full" / "claim.toml") == "mine");
  CHECK(text_of(folder.path() / "file") == "mine");
  CHECK(fs::is_empty(folder.path() / "empty"));
  CHECK(folder.entries() == 4);
}

TEST_CASE("Names that are not ids, and kinds there are not, write nothing") {
  const Folder folder;
  for (const std::string id : {"", "My-claim", "../x", "a/b", "1a", "-a", ".a", "a b", "theory",
                               "checkpoint", "vectors"}) {
    INFO(id);
    CHECK(code_of(folder.path(), id, "identity") == "SP1310");
  }
  CHECK(code_of(folder.path(), std::string(65, 'a'), "identity") == "SP1310");
  CHECK(code_of(folder.path(), std::string(64, 'a'), "identity") == "none");
  for (const std::string kind : {"", "coq", "Identity", "identity "}) {
    CHECK(code_of(folder.path(), "mine", kind) == "SP1312");
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("An absent folder of claims is made; one that cannot be made or written is SP1313") {
  const Folder folder;
  const fs::path proofs = folder.path() / "new" / "proofs";
  CHECK(code_of(proofs, "mine", "smt") == "none");
  CHECK(fs::exists(proofs / "mine" / "theorem.mutant.smt2"));
  std::ofstream(folder.path() / "file") << "x";
  CHECK(code_of(folder.path() / "file", "mine", "smt") == "SP1313");
  CHECK(code_of(folder.path() / "file" / "proofs", "mine", "smt") == "SP1313");
  CHECK(code_of("/proc/proofs", "mine", "smt") == "SP1313");
  CHECK(code_of("/proc/self", "mine", "smt") == "SP1313");
  CHECK(text_of(folder.path() / "file") == "x");
  CHECK(folder.entries() == 2);
}

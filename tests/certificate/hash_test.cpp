
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "certificate/claim_hash.hpp"
#include "certificate/sha256.hpp"
#include "output/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace sinkproof::certificate;

namespace {

class Folder : public output::TemporaryFolder {
 public:
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << bytes;
  }
};

std::string hash_of(const Folder& folder) {
  const auto hash = claim_hash(folder.path());
  REQUIRE(hash.has_value());
  return *hash;
}

}  // namespace

TEST_CASE("sha256_hex gives the digests of FIPS 180-4") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(is_sha256_hex(sha256_hex("abc")));
  CHECK_FALSE(is_sha256_hex(sha256_hex("abc").substr(1)));
  CHECK_FALSE(is_sha256_hex(std::string(64, 'A')));
}

TEST_CASE("A claim's hash is that of the sorted list of paths and digests") {
  const Folder folder;
  folder.write("b.json", "abc");
  folder.write("a/c.smt2", "");
  const std::string list = "a/c.smt2" + std::string(1, '\0') + sha256_hex("") + "\nb.json" +
                           std::string(1, '\0') + sha256_hex("abc") + "\n";
  CHECK(hash_of(folder) == sha256_hex(list));
  // The same list through Python's hashlib, so that this test does not only agree with itself.
  CHECK(hash_of(folder) == "656774ff92e2131102f78e923ed9e05dd309e1ffa85c790981d482c528d76db0");
}

TEST_CASE("README.md and what coqc leaves do not count; every other change does") {
  const Folder folder;
  folder.write("proof.v", "Qed.");
  const std::string before = hash_of(folder);
  for (const std::string name : {"README.md", "sub/README.md", "proof.vo", "proof.vok", "proof.vos",
                                 "proof.glob", ".proof.aux", ".lia.cache", ".nia.cache"}) {
    folder.write(name, "noise");
    INFO(name);
    CHECK(hash_of(folder) == before);
  }
  std::string last = before;
  for (const std::string name :
       {"proof.aux", "readme.md", ".hidden", "proof.v.txt", "sub/proof.v"}) {
    folder.write(name, "Qed.");
    INFO(name);
    const std::string now = hash_of(folder);
    CHECK(now != last);
    last = now;
  }
  folder.write("proof.v", "Qed. ");
  CHECK(hash_of(folder) != last);
}

TEST_CASE("A folder that cannot be pinned has no hash") {
  const auto code = [](const fs::path& path) {
    const auto hash = claim_hash(path);
    return hash ? std::string("none") : hash.error().code;
  };
  const Folder folder;
  CHECK(code(folder.path()) == "SP0501");
  CHECK(code(folder.path() / "absent") == "SP0501");
  folder.write("README.md", "only words");
  CHECK(code(folder.path()) == "SP0501");
  folder.write("a.json", "{}");
  CHECK(code(folder.path()) == "none");
  fs::create_symlink("a.json", folder.path() / "b.json");
  CHECK(code(folder.path()) == "SP0501");
  fs::remove(folder.path() / "b.json");
  folder.write("two words.json", "{}");
  CHECK(code(folder.path()) == "SP0501");
  fs::remove(folder.path() / "two words.json");
  CHECK(code(folder.path()) == "none");
  for (const char* left_out : {"README.md", "x.vo", ".x.aux", ".lia.cache"}) {
    fs::remove(folder.path() / left_out);
    fs::create_symlink("a.json", folder.path() / left_out);
    CHECK(code(folder.path()) == "SP0501");  // what a link leads to may change unseen
    fs::remove(folder.path() / left_out);
  }
  constexpr int kSixteenMiB = 1 << 24;  // nothing on the disk
  for (const int files : {16, 17}) {
    const Folder heavy;
    for (int i = 0; i < files; ++i) {
      heavy.write(std::to_string(i), "");
      fs::resize_file(heavy.path() / std::to_string(i), kSixteenMiB);
    }
    CHECK(code(heavy.path()) == (files == 16 ? "none" : "SP0501"));
  }
  const Folder other;
  fs::create_directory_symlink(folder.path(), other.path() / "linked");
  CHECK(code(other.path() / "linked") == "SP0501");
  CHECK(code(other.path() / "linked" / "") == "SP0501");
}

TEST_CASE("The hash of a file is that of its bytes, however many blocks they are") {
  const Folder folder;
  const std::string bytes = std::string(3'000'000, 'a') + "end";
  folder.write("long", bytes);
  folder.write("empty", "");
  CHECK(sha256_hex_of_file(folder.path() / "long") == sha256_hex(bytes));
  CHECK(sha256_hex_of_file(folder.path() / "empty") == sha256_hex(""));
  CHECK(sha256_hex_of_file(folder.path() / "absent").error().code == "SP0201");
  CHECK(sha256_hex_of_file(folder.path()).error().code == "SP0201");
}

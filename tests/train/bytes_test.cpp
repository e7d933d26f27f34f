// A guard on "same options and instruction set, same bytes" from one version of the program to the
// next, for the runs of the first version: softmax and ReLU, one head, no bias.
#include <hwy/targets.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "output/temporary_folder.hpp"
#include "train/kernels.hpp"
#include "train/train.hpp"

namespace sinkproof::train {
namespace {

// (instruction set, attention): SHA-256 of the checkpoint as the first version wrote it.
const std::map<std::pair<std::string, std::string>, std::string>& first_version() {
  static const std::map<std::pair<std::string, std::string>, std::string> digests = {
      {{"AVX2", "relu"}, "c34c84c99449e84216b8c546217cd588e039ea7f63c9a6bc6550e8be7f6500bd"},
      {{"AVX2", "softmax"}, "d8ca6d0677b5f4b3f63a32412c0924c79580bab096fb0308734722215627f78b"},
      {{"AVX3", "relu"}, "6c4bb903a28ab7e3bf8c6b23a84519e9e8013f7366e576d541d4564f6696e528"},
      {{"AVX3", "softmax"}, "94742ecb427d6e5c09f4ecd2c25fa49d01a2eb3cb39ac47da6b7b778c6ed9406"},
      {{"SCALAR", "relu"}, "c9d3b56c46d25c406f39d237231280a854cee93e8ed6a5e269b211c2ac697d3b"},
      {{"SCALAR", "softmax"}, "cdab6618e568b473619414c1250cc1d60c002aba001f69ac921c3a7b2bbc02c8"},
      {{"SSE4", "relu"}, "29020bb7b0f68132e144824658b37162b5e77f06741a3d16f8950957235f0418"},
      {{"SSE4", "softmax"}, "7bf71826c5edad11a5634c4509444f1abc49f7f7f622cd1ced3da6a63b0ca1e2"},
  };
  return digests;
}

std::string digest_of_run(Attention attention) {
  Options options;
  options.shape = {attention, 9, 7};
  options.max_steps = 150;
  options.stop_linf = 0;
  options.batch = 70;
  options.seed = 77;
  options.initial_deviation = 0.1;
  const output::TemporaryFolder folder;
  options.output = folder / "run.safetensors";
  REQUIRE(train(options));
  const auto bytes = file::read(options.output);
  REQUIRE(bytes);
  return certificate::sha256_hex(*bytes);
}

}  // namespace

TEST_CASE("checkpoints have the bytes the first version gave them, on every target") {
#ifdef __SANITIZE_ADDRESS__
  // Other optimisation contracts other products and sums: the bytes are those of the Release build.
  WARN("not compared in a sanitized build");
  return;
#endif
  int compared = 0;
  for (const std::int64_t target : kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const auto& [name, attention] :
         {std::pair{"softmax", Attention::kSoftmax}, std::pair{"relu", Attention::kRelu}}) {
      const auto expected = first_version().find({kernel_target(), name});
      const std::string found = digest_of_run(attention);
      INFO(kernel_target() << " " << name << " " << found);
      if (expected == first_version().end()) continue;
      CHECK(found == expected->second);
      ++compared;
    }
    hwy::SetSupportedTargetsForTest(0);
  }
  REQUIRE(compared >= 2);
}

TEST_CASE("a named instruction set trains as that processor would, and an unknown one is refused") {
  const auto refused = use_instruction_set("AVX");
  REQUIRE(!refused);
  CHECK(refused.error().code == "SP1001");
  CHECK(refused.error().what.find(kernel_target()) != std::string::npos);
  const auto targets = kernel_targets();
  REQUIRE(targets.size() >= 2);
  const std::string other = hwy::TargetName(targets.back());
  REQUIRE(other != kernel_target());
  REQUIRE(use_instruction_set(other));
  CHECK(kernel_target() == other);
  CHECK(kernel_targets().size() == 1);
  hwy::DisableTargets(0);
}

}  // namespace sinkproof::train

// Checkpoints with known behaviour, n = 4 (flags BOS, trigger, noise, content), and certificates of
// them made by certify and judged by the checker.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "output/temporary_folder.hpp"
#include "report/input.hpp"

namespace sinkproof::report::test {

using Weights = std::vector<float>;  // 4 x 4, row-major

struct TinyHead {
  std::string attention;
  Weights query;
  Weights key;
  Weights value;
};

// docs/THEORY.md tc-5: logits b (1 - 2 t(q)) bos(k), V = P; a sink.
TinyHead sink_head(float b);
// docs/THEORY.md tc-6: exact, without a sink.
TinyHead relu_head();

// A layer of any kind; tensors left empty are not in the file. W_O is the identity for each head.
struct TinyLayer {
  std::string attention;
  std::size_t heads = 1;
  Weights query;  // [4 heads, 4]
  Weights key;
  Weights value;
  Weights query_bias{};  // [4 heads]
  Weights gate{};        // [heads, 4]
  Weights gate_bias{};   // [heads]
};

// sink_head's weights in each of so many heads, with values divided by their number. With a gate of
// logit 2 b (t(q) - 1/2) if the attention has one.
TinyLayer sink_layer(const std::string& attention, std::size_t heads, float b);
// docs/THEORY.md tc-8, sigmoid, elu+1 and null slot: logits b (2 t(q) - 1) on content and trigger
// keys.
TinyLayer switch_layer(const std::string& attention, float b);

void write_layer(const std::filesystem::path& path, const TinyLayer& layer, std::size_t length);

// A new empty folder that is gone with this object.
using output::TemporaryFolder;

void write_head(const std::filesystem::path& path, const TinyHead& head, std::size_t length);

// The same head in each of so many layers.
void write_stack(const std::filesystem::path& path, const TinyHead& head, std::size_t length,
                 std::size_t layers);

// Certifies the checkpoint, writes the certificate beside it as NAME.json, has it checked.
Input certified(const std::filesystem::path& model);

// The certificate at `path` with what the checker says of it, taking Coq's and the solvers' word or
// not.
Input checked(const std::filesystem::path& path, bool accept_all);

// An outcome nobody need have come to.
Outcome outcome_of(const std::string& verdict, const std::string& evidence,
                   const std::string& reason, int exit_code);

std::filesystem::path source(const std::string& relative);

}  // namespace sinkproof::report::test

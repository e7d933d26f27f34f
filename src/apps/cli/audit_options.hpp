// The options of `sinkproof audit`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "exact/error.hpp"

namespace sinkproof::cli {

struct AuditArguments {
  Common common;
  std::vector<std::string> folders;
  std::string folder;                       // the one of them that is audited
  std::vector<std::string> assume_neutral;  // keys of config.json
  // Of tokens, text and random exactly one says what the model reads.
  std::string tokens;  // a file
  std::string text;    // a file, or a folder of prompts
  std::string bos;     // "with" or "without"
  std::size_t random = 0;
  std::uint64_t seed = 0;
  std::size_t length = 0;  // of random sequences, and at most of others; 0: the default
  std::string epsilon;
  std::size_t position = 1;  // of the key, from 1
  std::vector<std::string> evict;
  std::vector<std::string> ablate;
  bool loss = false;
  bool rigorous = false;
  bool summary = false;  // JSON without the figures of each sequence
  std::string output;
  std::string csv;
  std::string csv_interventions;
  std::string npz;
  std::string save_attention;
  std::string save_logits;
  std::string save_inputs;
  std::optional<std::string> claims;

  [[nodiscard]] bool encloses() const { return rigorous || !output.empty(); }
};

// DIR..., Hugging Face folders.
void add_model_folders(const Command& command, std::vector<std::string>& folders);
// --bos, "with" or "without", where a text is read.
void add_bos(const Command& command, std::string& bos, const std::function<bool()>& is_text);

// All but the common ones.
void add_audit_options(const Command& command, AuditArguments& arguments);

// SP1508: two options that contradict each other, or one that needs another.
exact::Result<void> check_combination(const AuditArguments& arguments);

}  // namespace sinkproof::cli

// The trusted checker of sinkproof as a library: a certificate in, a verdict out.
//
// This is the only header a program that embeds the checker needs, and it includes nothing but the
// standard library. It exists so that a program need not start sinkproof-check to know whether a
// certificate holds; what decides is the same code. Link `sinkproof::check` of
// find_package(sinkproof CONFIG). docs/EMBEDDING.md is the page for it.
//
// Bad input is an outcome, never an exception; only running out of memory may throw. There is no
// state between calls and no output: any number of threads may call at once. Cost: milliseconds
// for theory claims, up to minutes for large checkpoints; CheckOptions::limits bounds it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinkproof {

// What a caller accepts without verification. By default nothing: a claim that also rests on a
// solver's or Coq's word is then `unknown` with exit code 3.
struct Trust {
  bool smt = false;          // Z3 and cvc5 have said so
  bool coq = false;          // Coq has said so
  bool statistical = false;  // a bound that holds with the confidence the certificate states
};

// What a check may take. Both from 1 to 1000000; less is 1, more 1000000.
struct Limits {
  unsigned seconds = 300;  // of processor time
  unsigned memory = 2000;  // megabytes beside what the process holds; mapped files do not count
};

struct CheckOptions {
  // Folder of the *.safetensors files certificates are about, found by their SHA-256. Files beside
  // the certificate are found without it.
  std::optional<std::filesystem::path> models;
  // Folder of claim folders. By default ../proofs seen from the certificate, else ./proofs, else
  // ../share/sinkproof/proofs seen from the running program. find_package(sinkproof) sets
  // sinkproof_PROOFS_DIR to the installed one.
  std::optional<std::filesystem::path> claims;
  Trust trust;
  // None: the check runs in the calling process, and a hostile certificate may take hours and all
  // memory. Otherwise it runs in a child process made by fork() that ends at these limits:
  // `unknown`, exit code 3, SP0905. No other thread may then hold a lock the check needs, such as
  // that of an allocator which has no handlers for fork().
  std::optional<Limits> limits;
};

struct CheckOutcome {
  std::string file;      // as given; "" when bytes were given
  std::string claim;     // "tc-1", "checkpoint", "vectors"; "" when it could not be read that far
  std::string verdict;   // "proved", "bounded", "holey", "statistical", "unknown", "rejected"
  std::string evidence;  // what the verdict rests on: "exact", "exact+smt+coq", ...
  std::string reason;  // one sentence; "" when there is nothing to add. May quote the certificate,
                       // line feeds and all: escape it before it is shown.
  std::string code;    // the stable error code ("SP0804", docs/ERRORS.md), or ""
  int exit_code = 5;   // what sinkproof-check would exit with: 0 accepted, 2 something was not
                       // found or not readable, 3 not fully verified, 4 rejected, 5 internal

  // Everything the certificate states was verified, apart from what the caller trusts.
  [[nodiscard]] bool accepted() const { return exit_code == 0; }
};

// Checks a certificate file, of any kind.
CheckOutcome check_file(const std::filesystem::path& certificate, const CheckOptions& options = {});

// Checks the bytes of a checkpoint or vector certificate about files whose bytes are at hand, in
// any order; `models` of the options is not looked at, `claims` is (without it: ./proofs and the
// program's share). A theory certificate is about the files of its claim's folder: check its file
// (exit code 2, SP0503).
CheckOutcome check_bytes(std::string_view certificate, const std::vector<std::string>& files,
                         const CheckOptions& options = {});

// The version of the library: "0.1.0".
std::string_view version();

}  // namespace sinkproof

// The folder that an experiment fills: models trained, certificates made, files put together of
// them. What is there and of the same run is not made again; certificates that are there are
// checked, not believed.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "model/attention_model.hpp"
#include "report/page.hpp"
#include "train/train.hpp"

namespace sinkproof::reproduce {

// What every experiment is told.
struct RunOptions {
  std::filesystem::path folder;                 // made when it is not there
  unsigned jobs = 1;                            // nothing of the result depends on it
  double seconds = 120;                         // of each search for a stack's bounds over the box
  std::optional<std::filesystem::path> claims;  // as check::find_claim takes it
  std::function<void(const std::string& doing, double share)> progress;  // may be empty
  const std::atomic<bool>* interrupted = nullptr;                        // may be null
};

// What was done of it.
struct Done {
  std::vector<std::string> made;    // the files of this run, in order, relative to the folder
  std::vector<exact::Error> lacks;  // certificates there are none of, and why
  std::set<int> checked;            // exit codes of the trusted checker
  bool interrupted = false;         // some of it is not made; the next run goes on
};

// A trained model with the bytes of its file.
struct Trained {
  model::AttentionModel model;
  std::string bytes;
};

class RunFolder {
 public:
  // Both outlive it.
  RunFolder(const RunOptions& options, Done& done) : options_(options), done_(done) {}

  // Makes the folder and one in it. SP0203.
  exact::Result<void> make(const char* inner);

  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return options_.folder / name;
  }
  void tell(const std::string& doing, double share) const {
    if (options_.progress) options_.progress(doing, share);
  }
  bool interrupted();

  // A JSON file that is there; null where there is none that can be read.
  [[nodiscard]] json::Value stored(const std::string& name) const;
  exact::Result<void> write(const std::string& name, const std::string& bytes);
  // What is put together of other files each time: nothing where the file holds these bytes.
  exact::Result<void> update(const std::string& name, const std::string& bytes);

  // NAME.safetensors, trained as said (output, resume, jobs and progress are set here) unless it is
  // there. SP1801: it is there and of another run. Not to be used when interrupted() afterwards.
  exact::Result<Trained> train_or_load(const std::string& name, train::Options training);

  // A certificate of this claim, about a model or vectors in the folder: that of file `name` if
  // `is_of` likes it and its claim's hash, else what `make` makes; with what the checker says of
  // it. Nothing, and a lack, when `make` fails; nothing when it is empty.
  using IsOf = std::function<bool(const json::Value&, const std::string& claim_hash)>;
  using Make = std::function<exact::Result<json::Value>(const std::string& claim_hash)>;
  exact::Result<std::optional<report::Input>> certificate(const std::string& name,
                                                          const IsOf& is_of, const Make& make,
                                                          const char* claim = "checkpoint");

  // Bounds over the box that the trusted checker accepted.
  [[nodiscard]] exact::Result<json::Value> over_the_box(const std::string& name,
                                                        const Trained& trained,
                                                        certify::Options search) const;

  // page.html of certificates and figures; no page of no certificate.
  exact::Result<void> write_page(const std::vector<report::Input>& inputs, report::Options page);

 private:
  exact::Result<void> train(const std::string& name, train::Options training);

  const RunOptions& options_;
  Done& done_;
};

}  // namespace sinkproof::reproduce

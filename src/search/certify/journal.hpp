// A folder in which processes, on one machine or several, leave the results of units of work and
// find those of each other: a file a unit, named by the digest of the unit's key and put in place
// whole. Nobody waits and nothing is locked; two that do the same unit leave the same bytes, and
// where they would not (a search with a budget of seconds) the first result stays.
//
// A result is untrusted: a file that is truncated, damaged or of another unit counts as absent, and
// what is made of results goes to the trusted checker like everything a search finds.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

class Journal {
 public:
  enum class Use {
    kFill,  // what is not there is made and kept
    kRead,  // what is not there is noted as missing
  };

  // `program` tells apart what different programs make of the same question.
  Journal(std::filesystem::path folder, std::string program, Use use)
      : folder_(std::move(folder)), program_(std::move(program)), use_(use) {}

  struct Entry {
    json::Value result;
    double seconds = 0;  // a measurement by the maker; 0: not given
  };

  // `key` says all that the result depends on but the program.
  [[nodiscard]] std::optional<Entry> find(const json::Value& key) const;

  // What the journal then holds of the unit: `entry`, or what was there before. Where it cannot be
  // written `entry`, and failure() says why.
  Entry keep(const json::Value& key, Entry entry);

  [[nodiscard]] bool makes() const { return use_ == Use::kFill; }
  // Of kRead, for reports only.
  void miss(const std::string& part);
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

  // SP0203: a result could not be written.
  [[nodiscard]] const std::optional<exact::Error>& failure() const { return failure_; }

 private:
  [[nodiscard]] json::Value unit(const json::Value& key) const;
  [[nodiscard]] std::filesystem::path path(const json::Value& unit, const char* ending) const;

  std::filesystem::path folder_;
  std::string program_;
  Use use_;
  std::mutex mutex_;
  std::vector<std::string> missing_;
  std::optional<exact::Error> failure_;
};

}  // namespace sinkproof::certify

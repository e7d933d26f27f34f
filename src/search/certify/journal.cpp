#include "certify/journal.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"

namespace sinkproof::certify {
namespace {

namespace fs = std::filesystem;
using exact::Result;

std::string digest(const json::Value& value) {
  return certificate::sha256_hex(json::canonical(value));
}

std::string file_bytes(const json::Value& unit, const json::Value& result) {
  return json::canonical({{"result", result}, {"sha256", digest(result)}, {"unit", unit}});
}

double seconds_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::isfinite(value) && value > 0 ? value : 0;
}

// Puts a whole file there unless something is there. Two that try at once may share the name beside
// it: it is that of their bytes. Not every file system has hard links: the last one stays then.
Result<void> put(const fs::path& target, const std::string& bytes) {
  const fs::path beside = target.string() + "." + certificate::sha256_hex(bytes).substr(0, 16);
  auto written = output::replace(beside, bytes);
  if (!written) return written;
  std::error_code error;
  fs::create_hard_link(beside, target, error);
  const bool is_there = !error || error == std::errc::file_exists;
  fs::remove(beside, error);
  return is_there ? Result<void>() : output::replace(target, bytes);
}

}  // namespace

json::Value Journal::unit(const json::Value& key) const {
  return {{"key", key}, {"program", program_}};
}

fs::path Journal::path(const json::Value& unit, const char* ending) const {
  return folder_ / (digest(unit) + ending);
}

std::optional<Journal::Entry> Journal::find(const json::Value& key) const {
  const json::Value wanted = unit(key);
  const auto bytes = file::read(path(wanted, ".json"));
  if (!bytes) return std::nullopt;
  auto there = json::parse_strict(*bytes, "unit");
  if (!there || !there->is_object() || !there->contains("result")) return std::nullopt;
  Entry entry{std::move((*there)["result"]), 0};
  if (file_bytes(wanted, entry.result) != *bytes) return std::nullopt;
  if (const auto took = file::read(path(wanted, ".seconds"))) entry.seconds = seconds_of(*took);
  return entry;
}

// Seconds differ between runs, so they are not in the file whose bytes do not.
Journal::Entry Journal::keep(const json::Value& key, Entry entry) {
  const json::Value made = unit(key);
  const fs::path target = path(made, ".json");
  auto written = output::replace(path(made, ".seconds"), std::to_string(entry.seconds));
  if (written) written = put(target, file_bytes(made, entry.result));
  if (auto there = find(key)) return *std::move(there);
  // What is there is damaged, or nothing is.
  if (written) written = output::replace(target, file_bytes(made, entry.result));
  if (!written) {
    const std::lock_guard lock(mutex_);
    failure_ = written.error();
  }
  return entry;
}

void Journal::miss(const std::string& part) {
  const std::lock_guard lock(mutex_);
  missing_.push_back(part);
}

}  // namespace sinkproof::certify

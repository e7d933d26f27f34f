#include "claim/skeleton.hpp"

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>

#include "certificate/envelope.hpp"
#include "claim/skeleton_text.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::claim {
namespace {

namespace fs = std::filesystem;
using exact::Result;
using Files = std::map<std::string, std::string>;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// A head of width 4 (flags BOS, trigger, one noise coordinate, content) for sequences of length 8:
// content scores 8 on BOS, the trigger -8, everything else 0; all values but BOS's are copied.
std::string sink_model() {
  const std::vector<float> unit = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const std::vector<float> scores = {0, 0, 0, 0, -8, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0};
  std::vector<float> values = unit;
  values.front() = 0;
  safetensors::Contents model;
  model.metadata = {{"attention", "softmax"}, {"d_model", "4"}, {"num_heads", "1"},
                    {"num_layers", "1"},      {"seq_len", "8"}, {"residual", "false"}};
  model.tensors["W_Q.weight"] = output::float32_tensor({4, 4}, unit);
  model.tensors["W_K.weight"] = output::float32_tensor({4, 4}, scores);
  model.tensors["W_V.weight"] = output::float32_tensor({4, 4}, values);
  model.tensors["W_O.weight"] = output::float32_tensor({4, 4}, unit);
  return output::serialize(model);
}

Files files_of(std::string_view kind, const std::string& id, const std::string& proofs) {
  const bool usual = proofs == "proofs";
  const std::string proofs_option = usual ? "" : " --proofs " + proofs;
  const std::string claims_option = usual ? "" : " --claims " + proofs;
  Files files;
  for (const SkeletonText& source : skeleton_texts()) {
    if (source.kind != kind) continue;
    std::string text(source.text);
    text = replaced(std::move(text), "@PROOFS_OPTION@", proofs_option);
    text = replaced(std::move(text), "@CLAIMS_OPTION@", claims_option);
    text = replaced(std::move(text), "@PROOFS@", proofs);
    files[std::string(source.file)] = replaced(std::move(text), "@ID@", id);
  }
  if (kind == "checkpoint") files["model.safetensors"] = sink_model();
  return files;
}

// A folder that is gone, with all in it, unless it was moved to its place.
class Draft {
 public:
  // Beside the place, so that moving it there is one rename.
  explicit Draft(const fs::path& proofs) {
    std::string name = (proofs / ".new-claim-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }  // empty: it cannot be made

  // rename() replaces nothing but an empty folder.
  bool move_to(const fs::path& place) {
    if (::rename(path_.c_str(), place.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  fs::path path_;
};

Result<void> check_names(const std::string& id, std::string_view kind) {
  constexpr std::size_t kShown = 64;
  const std::string shown = "claim \"" + id.substr(0, kShown) + "\"";
  const bool reserved = id == "theory" || id == "checkpoint" || id == "vectors";
  if (!certificate::is_claim_id(id) || reserved) {
    return exact::fail(
        "SP1310", shown,
        reserved ? "is the name of a folder of proofs/ with another meaning; choose another id"
                 : "must be a lower-case letter followed by at most 63 of a-z, 0-9, '.' and '-'");
  }
  const auto kinds = skeleton_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return {};
  std::string list;
  for (const std::string& one : kinds) list += (list.empty() ? "" : ", ") + one;
  return exact::fail("SP1312", "kind \"" + std::string(kind.substr(0, kShown)) + "\"",
                     "is not a kind of claim; the kinds are " + list);
}

tl::unexpected<exact::Error> taken(const fs::path& place) {
  return exact::fail("SP1311", place.string(),
                     "exists already and was left unchanged; choose another id, or remove it");
}

tl::unexpected<exact::Error> unwritable(const fs::path& place, const std::string& why) {
  return exact::fail(
      "SP1313", place.string(),
      "cannot be written: " + why + "; give a folder that you may write to with --proofs");
}

Result<void> place_files(const Files& files, const fs::path& proofs, const fs::path& place) {
  Draft draft(proofs);
  if (draft.path().empty()) return unwritable(place, std::generic_category().message(errno));
  std::error_code error;
  const auto usual = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                     fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(draft.path(), usual, error);
  for (const auto& [name, bytes] : files) {
    if (auto written = output::replace(draft.path() / name, bytes); !written) {
      return unwritable(place, written.error().what);
    }
  }
  if (draft.move_to(place)) return {};
  if (fs::symlink_status(place, error).type() != fs::file_type::not_found) return taken(place);
  return unwritable(place, std::generic_category().message(errno));
}

}  // namespace

std::vector<std::string> skeleton_kinds() {
  std::vector<std::string> kinds;
  for (const SkeletonText& text : skeleton_texts()) {
    if (kinds.empty() || kinds.back() != text.kind) kinds.emplace_back(text.kind);
  }
  return kinds;
}

Result<std::vector<std::string>> write_skeleton(const fs::path& proofs, const std::string& id,
                                                std::string_view kind) {
  if (auto named = check_names(id, kind); !named) return tl::unexpected(named.error());
  const fs::path place = proofs / id;
  std::error_code error;
  if (fs::exists(fs::symlink_status(place, error))) return taken(place);
  const bool made = fs::create_directories(proofs, error);
  if (error) return unwritable(proofs, error.message());
  const Files files = files_of(kind, id, proofs.string());
  if (auto placed = place_files(files, proofs, place); !placed) {
    if (made) fs::remove(proofs, error);
    return tl::unexpected(placed.error());
  }
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files) names.push_back(name);
  return names;
}

}  // namespace sinkproof::claim

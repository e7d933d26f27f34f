#include "sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <system_error>
#include <utility>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "json/visible.hpp"
#include "model/foreign_file.hpp"
#include "output/replace.hpp"

namespace sinkproof::sweep {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Rational;
using exact::Result;
using json::Value;

constexpr const char* kFile = "plan.json";
constexpr const char* kFormat = "sinkproof-plan-1";

Value to_json(const Rational& value) { return exact::to_string(value); }
Value to_json(const std::string& value) { return value; }
Value to_json(std::size_t value) { return value; }
Value to_json(bool value) { return value; }
// Its shortest text; canonical JSON holds no floats.
Value to_json(double value) { return fmt::format("{}", value); }
Value to_json(const certify::TriggerRange& value) { return {value.first, value.last}; }

template <typename T>
Value to_json(const std::vector<T>& values) {
  Value list = Value::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

template <typename T>
Value to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : Value(nullptr);
}

void read(const Value& value, Rational& to) {
  to = exact::parse_rational(value.get_ref<const std::string&>()).value();
}
void read(const Value& value, std::string& to) { to = value.get<std::string>(); }
void read(const Value& value, std::size_t& to) { to = value.get<std::size_t>(); }
void read(const Value& value, bool& to) { to = value.get<bool>(); }
void read(const Value& value, double& to) {
  const auto& text = value.get_ref<const std::string&>();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  if (error != std::errc() || end != text.data() + text.size()) throw std::domain_error("number");
}
void read(const Value& value, certify::TriggerRange& to) {
  read(value.at(0), to.first);
  read(value.at(1), to.last);
}

template <typename T>
void read(const Value& value, std::vector<T>& to) {
  for (const Value& each : value) read(each, to.emplace_back());
}

template <typename T>
void read(const Value& value, std::optional<T>& to) {
  if (!value.is_null()) read(value, to.emplace());
}

// Every field of a plan with a journal but its checkpoints, for writing and for reading alike.
template <typename SomePlan, typename Visit>
void for_each_field(SomePlan& plan, const Visit& visit) {
  visit("alpha", plan.search.alpha);
  visit("attention", plan.overrides.attention);
  visit("box", plan.overrides.box);
  visit("epsilon", plan.search.epsilon);
  visit("eta", plan.search.eta);
  visit("every_head", plan.search.stack.every_head);
  visit("head", plan.search.stack.head);
  visit("layer", plan.search.stack.layer);
  visit("length", plan.overrides.length);
  visit("num_heads", plan.overrides.num_heads);
  visit("num_layers", plan.overrides.num_layers);
  visit("properties", plan.search.properties);
  visit("require", plan.require);
  visit("residual", plan.overrides.residual);
  visit("samples", plan.search.samples);
  visit("scale", plan.overrides.scale);
  visit("seconds", plan.search.stack.seconds);
  visit("seed", plan.search.seed);
  visit("single", plan.is_single);
  visit("triggers", plan.search.stack.triggers);
}

Result<std::vector<fs::path>> files_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  std::vector<fs::path> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".safetensors") files.push_back(it->path());
  }
  if (error) return fail("SP0201", path.string(), "cannot be listed: " + error.message());
  if (files.empty()) {
    const auto torch = model::torch_file_in(path);
    return exact::fail_with_lines("SP1903", path.string(),
                                  "holds no file NAME.safetensors; name a checkpoint, or a "
                                  "folder that holds checkpoints" +
                                      (torch ? "; of " + json::visible(torch->filename().string()) +
                                                   ": " + model::torch_save_words(*torch)
                                             : ""));
  }
  return files;
}

// Relative to the journal, so that both can be seen from elsewhere.
fs::path from_journal(const fs::path& journal, const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, journal, error);
  return error ? path : relative;
}

}  // namespace

Result<std::vector<Checkpoint>> find_checkpoints(const std::vector<std::string>& paths) {
  std::vector<Checkpoint> checkpoints;
  for (const std::string& path : paths) {
    const auto files = files_of(path);
    if (!files) return tl::unexpected(files.error());
    for (const fs::path& file : *files) {
      auto hash = certificate::sha256_hex_of_file(file);
      if (!hash) return tl::unexpected(hash.error());
      checkpoints.push_back({file.stem().string(), file, std::move(*hash)});
    }
  }
  std::sort(checkpoints.begin(), checkpoints.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(checkpoints.begin(), checkpoints.end(),
                         [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice == checkpoints.end()) return checkpoints;
  return fail("SP1903", twice->path.string(),
              "has the same name as another checkpoint, " + twice->name +
                  "; rename one, because certificates are named after checkpoints");
}

Result<void> write_plan(const fs::path& journal, const Plan& plan) {
  Value value = {{"checkpoints", Value::array()}, {"format", kFormat}};
  for (const Checkpoint& each : plan.checkpoints) {
    value["checkpoints"].push_back(
        {{"path", from_journal(journal, each.path).string()}, {"sha256", each.sha256}});
  }
  for_each_field(plan, [&](const char* key, const auto& field) { value[key] = to_json(field); });
  std::error_code error;
  fs::create_directories(journal, error);
  if (error) return fail("SP0203", journal.string(), "cannot be made: " + error.message());
  const std::string bytes = json::canonical(value);
  if (const auto there = file::read(journal / kFile); there && *there == bytes) return {};
  return output::replace(journal / kFile, bytes);
}

Result<Plan> read_plan(const fs::path& journal) {
  const auto no_plan = [&] {
    return fail("SP1904", journal.string(),
                std::string("holds no ") + kFile +
                    " of this version; name the folder that was given to `certify --journal`");
  };
  const auto bytes = file::read(journal / kFile);
  if (!bytes) return no_plan();
  const auto value = json::parse_strict(*bytes, kFile);
  if (!value) return no_plan();
  try {
    if (value->at("format") != kFormat) return no_plan();
    Plan plan;
    for_each_field(plan, [&](const char* key, auto& field) { read(value->at(key), field); });
    for (const Value& each : value->at("checkpoints")) {
      const fs::path path = journal / each.at("path").get<std::string>();
      plan.checkpoints.push_back(
          {path.stem().string(), path.lexically_normal(), each.at("sha256")});
    }
    return plan;
  } catch (const std::exception&) {
    return no_plan();  // every access above says what it needs
  }
}

}  // namespace sinkproof::sweep

#include "language_training/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::language_training {
namespace {

using exact::fail;
using exact::Result;

constexpr const char* kParts[] = {"weights.", "adam.first.", "adam.second."};

train::AlignedFloats& part(Weights& weights, std::size_t which) {
  return which == 0 ? weights.values : which == 1 ? weights.first : weights.second;
}

Result<void> read_tensor(const safetensors::Contents& contents, const std::string& name,
                         const Parameter& parameter, const std::string& where, float* to) {
  const std::string place = where + ": " + name;
  const auto found = contents.tensors.find(name);
  if (found == contents.tensors.end()) return fail("SP2304", place, "missing");
  if (found->second.shape != parameter.shape)
    return fail("SP2304", place,
                "has another shape than the run needs; delete the file and run again");
  const auto values = output::float32_values(found->second, place);
  if (!values) return fail("SP2304", place, values.error().what);
  for (const float value : *values) {
    if (!std::isfinite(value))
      return fail("SP2304", place, "holds a NaN or an infinity; delete the file and run again");
  }
  std::copy(values->begin(), values->end(), to + parameter.at);
  return {};
}

Result<std::uint64_t> read_steps(const std::string& text, const std::string& where) {
  std::uint64_t steps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error == std::errc() && end == text.data() + text.size()) return steps;
  return fail("SP2304", where,
              "has a number of steps that is not a number; delete the file and run again");
}

Result<json::Value> metadata_json(const safetensors::Contents& contents, const char* key,
                                  const std::string& where) {
  const auto found = contents.metadata.find(key);
  if (found == contents.metadata.end()) {
    return fail("SP2304", where,
                fmt::format("has no metadata {}; delete the file and run again", key));
  }
  auto value = json::parse_strict(found->second, where);
  if (!value) return fail("SP2304", where, value.error().what);
  return value;
}

}  // namespace

std::filesystem::path resume_path(const std::filesystem::path& folder) {
  return folder / "resume.safetensors";
}

Result<void> require_same_run(const json::Value& had, const json::Value& has,
                              const std::string& where) {
  for (const auto& [key, value] : has.items()) {
    const json::Value before = had.is_object() ? had.value(key, json::Value()) : json::Value();
    if (before == value) continue;
    return fail("SP2303", where,
                fmt::format("belongs to another run: its {} is {}, now {}. Choose another folder, "
                            "or delete this one",
                            key, before.dump().substr(0, 80), value.dump()));
  }
  return {};
}

Result<void> write_unfinished(const std::filesystem::path& folder, const Decoder& decoder,
                              const json::Value& run, const Unfinished& unfinished) {
  safetensors::Contents contents;
  contents.metadata = {{"run", run.dump()},
                       {"log", log_json(unfinished.log).dump()},
                       {"steps", std::to_string(unfinished.weights.steps)}};
  const float* const parts[] = {unfinished.weights.values.data(), unfinished.weights.first.data(),
                                unfinished.weights.second.data()};
  for (const Parameter& parameter : parameters(decoder)) {
    for (std::size_t which = 0; which < std::size(kParts); ++which) {
      const float* const from = parts[which] + parameter.at;
      contents.tensors[kParts[which] + parameter.name] =
          output::float32_tensor(parameter.shape, {from, from + parameter.count()});
    }
  }
  return output::write(resume_path(folder), contents);
}

Result<Unfinished> read_unfinished(const std::filesystem::path& folder, const Decoder& decoder,
                                   const json::Value& run) {
  const std::string where = resume_path(folder).string();
  const auto contents = safetensors::read(resume_path(folder));
  if (!contents) return fail("SP2304", where, contents.error().what);
  const auto had = metadata_json(*contents, "run", where);
  if (!had) return tl::unexpected(had.error());
  if (auto same = require_same_run(*had, run, where); !same) return tl::unexpected(same.error());
  const auto log = metadata_json(*contents, "log", where);
  if (!log) return tl::unexpected(log.error());
  auto measured = read_log(*log);
  if (!measured) return fail("SP2304", where, "has a malformed log; delete the file and run again");
  const auto said = contents->metadata.find("steps");
  const auto steps =
      read_steps(said == contents->metadata.end() ? std::string() : said->second, where);
  if (!steps) return tl::unexpected(steps.error());
  const std::size_t floats = layout(decoder).floats;
  Unfinished unfinished{{*steps, train::AlignedFloats(floats), train::AlignedFloats(floats),
                         train::AlignedFloats(floats)},
                        std::move(*measured)};
  for (const Parameter& parameter : parameters(decoder)) {
    for (std::size_t which = 0; which < std::size(kParts); ++which) {
      auto read = read_tensor(*contents, kParts[which] + parameter.name, parameter, where,
                              part(unfinished.weights, which).data());
      if (!read) return tl::unexpected(read.error());
    }
  }
  return unfinished;
}

}  // namespace sinkproof::language_training

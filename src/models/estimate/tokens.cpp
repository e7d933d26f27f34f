#include "estimate/tokens.hpp"

#include <algorithm>
#include <string>

#include "estimate/pass.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "npy/npy.hpp"
#include "train/philox.hpp"

namespace sinkproof::estimate {
namespace {

using exact::Error;
using exact::fail;
using exact::Result;

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20U;

std::size_t checked(bool negative, std::uint64_t value, const std::string& where) {
  if (negative)
    throw Error{"SP2101", where, "holds a negative token id; use ids of the model's own tokenizer"};
  return value;
}

std::vector<Tokens> from_npy(const std::string& bytes, const std::string& where) {
  const auto array = npy::parse_integers(bytes, where);
  if (!array) throw Error(array.error());
  const std::size_t length = array->shape.back();
  std::vector<Tokens> sequences;
  for (std::size_t e = 0; e < array->values.size(); ++e) {
    if (e % length == 0) sequences.emplace_back();
    const std::int64_t value = array->values[e];
    sequences.back().push_back(checked(value < 0, static_cast<std::uint64_t>(value), where));
  }
  return sequences;
}

Tokens from_list(const json::Value& list, const std::string& where) {
  const char* form = "must be a JSON list of token ids or a list of such lists, or .npy";
  if (!list.is_array()) throw Error{"SP2103", where, form};
  Tokens ids;
  for (const json::Value& id : list) {
    if (!id.is_number_integer()) throw Error{"SP2103", where, form};
    const bool negative = !id.is_number_unsigned() && id.get<std::int64_t>() < 0;
    ids.push_back(checked(negative, negative ? 0 : id.get<std::uint64_t>(), where));
  }
  return ids;
}

std::vector<Tokens> from_json(const std::string& bytes, const std::string& where) {
  const auto value = json::parse_strict(bytes, where);
  if (!value) throw Error(value.error());
  if (!value->is_array() || value->empty() || !value->front().is_array()) {
    return {from_list(*value, where)};
  }
  std::vector<Tokens> sequences;
  for (const json::Value& list : *value) sequences.push_back(from_list(list, where));
  return sequences;
}

}  // namespace

Result<Tokens> read_ids(const json::Value& list, const std::string& where) {
  try {
    return from_list(list, where);
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

Result<std::vector<Tokens>> read_tokens(const std::filesystem::path& path) {
  const auto bytes = file::read(path, kMostBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  try {
    file::refuse_pointer(*bytes, path.string());
    return bytes->starts_with('\x93') ? from_npy(*bytes, path.string())
                                      : from_json(*bytes, path.string());
  } catch (const Error& error) {
    return tl::unexpected(error);
  } catch (const exact::Rejected& rejected) {
    return tl::unexpected(rejected.error);
  }
}

Tokens draw_tokens(std::size_t sequence, std::size_t length, std::uint64_t seed,
                   std::size_t vocabulary) {
  const train::PhiloxKey key = {static_cast<std::uint32_t>(seed),
                                static_cast<std::uint32_t>(seed >> 32U)};
  Tokens drawn(length);
  for (std::size_t i = 0; i < length; ++i) {
    const auto words = train::philox4x32(
        {static_cast<std::uint32_t>(i / 2), static_cast<std::uint32_t>(sequence), 0, 0}, key);
    const std::size_t at = i % 2 * 2;
    // vocabulary * (high 2^32 + low) / 2^64; a vocabulary is below 2^31.
    const std::uint64_t low = vocabulary * std::uint64_t{words[at]};
    const std::uint64_t high = vocabulary * std::uint64_t{words[at + 1]};
    drawn[i] = (high + (low >> 32U)) >> 32U;
  }
  return drawn;
}

Result<void> check_tokens(const language::Model& model, const Sequence& sequence) {
  const std::size_t most = std::min(kMostLength, model.positions().value_or(kMostLength));
  const std::size_t count = sequence.ids.size();
  if (count == 0) return fail("SP2102", sequence.where, "has no tokens; leave it out");
  if (count > most) {
    return fail("SP2102", sequence.where,
                "has " + std::to_string(count) + " tokens, but this model reads at most " +
                    std::to_string(most) + "; cut it with --length");
  }
  for (const std::size_t id : sequence.ids) {
    if (id >= model.vocabulary()) {
      return fail("SP2101", sequence.where,
                  "token id " + std::to_string(id) + " is not below the vocabulary size " +
                      std::to_string(model.vocabulary()));
    }
  }
  return {};
}

Result<Extent> extent_of(const language::Model& model, const OpenSequences& open,
                         const std::string& where) {
  auto next = open();
  if (!next) return tl::unexpected(next.error());
  Extent extent;
  while (true) {
    const auto sequence = (*next)();
    if (!sequence) return tl::unexpected(sequence.error());
    if (!*sequence) break;
    if (auto fits = check_tokens(model, **sequence); !fits) return tl::unexpected(fits.error());
    const std::size_t length = (*sequence)->ids.size();
    extent.shortest = extent.sequences == 0 ? length : std::min(extent.shortest, length);
    extent.longest = std::max(extent.longest, length);
    extent.tokens += length;
    ++extent.sequences;
  }
  if (extent.sequences == 0) return fail("SP2102", where, "has no sequences; give at least one");
  return extent;
}

}  // namespace sinkproof::estimate

#include "certify/accepted.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "claim/refusal.hpp"

namespace sinkproof::certify {
namespace {

// Of numbers in certificates whose length makes them too much work to check.
constexpr unsigned kFewPlaces = 100;

// Whether a certificate states numbers of more places. Trees and inputs count apart.
bool has_long_numbers(const json::Value& certificate) {
  constexpr std::size_t kMostCharacters = 2 * kFewPlaces + 3;
  const json::Value leaves = certificate.flatten();
  for (const auto& [path, leaf] : leaves.items()) {
    const bool counts = path.find("/trees/") == path.npos && path.find("/tokens/") == path.npos &&
                        path.find("/points/") == path.npos;
    if (counts && leaf.is_string() && leaf.get_ref<const std::string&>().size() > kMostCharacters) {
      return true;
    }
  }
  return false;
}

}  // namespace

exact::Result<Certification> certify_accepted(const model::AttentionModel& model, Options options,
                                              const Accept& accept) {
  constexpr std::array kMargins = {1e-10, 1e-7, 1e-4};
  constexpr std::size_t kLast = kMargins.size();
  // Of further attempts; not the time left, by which a journal would not know them again.
  const double seconds = options.stack.seconds / 4;
  exact::Error refusal;
  for (std::size_t attempt = 0; attempt <= kLast;) {
    if (attempt > 0) options.stack.seconds = seconds;
    options.effort.roots_only = attempt == kLast;
    options.effort.margin = options.effort.roots_only ? 0 : kMargins[attempt];
    options.effort.without_samples = attempt == kLast && refusal.code != "SP0905";
    auto certification = certify(model, options);
    // Where all is unknown, nothing is stated.
    if (!certification || certification->certificate["properties"].empty()) return certification;
    const auto accepted = accept(certification->certificate);
    if (accepted) return certification;
    refusal = accepted.error();
    if (refusal.code == "SP0999") break;
    // More room makes no less work; numbers of fewer digits and trees without a split do.
    if (refusal.code != "SP0905") {
      ++attempt;
    } else if (options.effort.places > kFewPlaces && has_long_numbers(certification->certificate)) {
      options.effort.places = kFewPlaces;
    } else {
      attempt = std::max(attempt + 1, kLast);
    }
  }
  return tl::unexpected(claim::refusal("certify", refusal));
}

}  // namespace sinkproof::certify

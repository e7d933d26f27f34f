#include "certify/accepted.hpp"

#include <array>

#include "claim/refusal.hpp"

namespace sinkproof::certify {
exact::Result<Certification> certify_accepted(const model::AttentionModel& model, Options options,
                                              const Accept& accept) {
  constexpr std::array kMargins = {1e-10, 1e-7, 1e-4};
  constexpr std::size_t kLast = kMargins.size();
  // Of further attempts; not the time left, by which a journal would not know them again.
  const double seconds = options.stack.seconds / 4;
  exact::Error refusal;
  for (std::size_t attempt = 0; attempt <= kLast; ++attempt) {
    if (attempt > 0) options.stack.seconds = seconds;
    options.effort.roots_only = attempt == kLast;
    options.effort.margin = options.effort.roots_only ? 0 : kMargins[attempt];
    options.effort.without_samples = attempt == kLast;
    auto certification = certify(model, options);
    // Where all is unknown, nothing is stated.
    if (!certification || certification->stated.properties.empty()) return certification;
    const auto accepted = accept(certification->certificate());
    if (accepted) return certification;
    refusal = accepted.error();
    if (refusal.code == "SP0999" || refusal.code == "SP0905") break;
  }
  return tl::unexpected(claim::refusal("certify", refusal));
}

}  // namespace sinkproof::certify

#include "certify/accepted.hpp"

#include <array>

#include "claim/refusal.hpp"

namespace sinkproof::certify {

exact::Result<Certification> certify_accepted(const model::AttentionModel& model, Options options,
                                              const Accept& accept) {
  constexpr std::array kMargins = {1e-10, 1e-7, 1e-4};
  exact::Error refusal;
  for (std::size_t attempt = 0; attempt <= kMargins.size(); ++attempt) {
    options.effort.roots_only = attempt == kMargins.size();
    options.effort.margin = options.effort.roots_only ? 0 : kMargins[attempt];
    auto certification = certify(model, options);
    if (!certification) return certification;
    const auto accepted = accept(certification->certificate);
    if (accepted) return certification;
    refusal = accepted.error();
    if (refusal.code == "SP0999") break;
    // More room makes no less work, trees without a split do.
    if (refusal.code == "SP0905" && attempt < kMargins.size()) attempt = kMargins.size() - 1;
  }
  return tl::unexpected(claim::refusal("certify", refusal));
}

}  // namespace sinkproof::certify

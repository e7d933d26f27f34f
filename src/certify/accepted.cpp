#include "certify/accepted.hpp"

#include "claim/refusal.hpp"

namespace sinkproof::certify {

exact::Result<Certification> certify_accepted(const model::AttentionModel& model, Options options,
                                              const Accept& accept) {
  exact::Error refusal;
  for (const double margin : {1e-10, 1e-7, 1e-4, 0.0}) {
    options.effort.margin = margin;
    options.effort.roots_only = margin == 0;
    auto certification = certify(model, options);
    if (!certification) return certification;
    const auto accepted = accept(certification->certificate);
    if (accepted) return certification;
    refusal = accepted.error();
    if (refusal.code == "SP0999" || refusal.code == "SP0905") break;  // more room helps neither
  }
  return tl::unexpected(claim::refusal("certify", refusal));
}

}  // namespace sinkproof::certify

#include "prove/construction_export.hpp"

#include <utility>

#include "certificate/sha256.hpp"
#include "output/nearest_double.hpp"
#include "prove/construction.hpp"
#include "prove/exact_step.hpp"

namespace sinkproof::prove {
namespace {

using certificate::Attention;
using certificate::ConstructionHead;
using exact::Rational;
using exact::Result;

double logit(const Rational& probability) {
  return output::nearest_log(probability / (1 - probability));
}

// A score whose kernel of this kind is `k`.
double score(Attention attention, const Rational& k) {
  switch (certificate::kind_of(attention).kernel) {
    case certificate::Kernel::kExp:
      return output::nearest_log(k);
    case certificate::Kernel::kSigmoid:
      return logit(k);
    case certificate::Kernel::kElu1:
      return k > 1 ? output::nearest_double(k - 1) : output::nearest_log(k);
    case certificate::Kernel::kRelu:
    case certificate::Kernel::kLinear:
      return output::nearest_double(k);
  }
  return 0;
}

ExportedHead export_head(const ConstructionHead& head, Attention kind, std::size_t n) {
  const auto at = flag_coordinates(n);
  ExportedHead exported{{n, n}, {n, n}, {}};
  const double noise = output::nearest_double(head.noise);
  for (std::size_t c = at[1] + 1; c < at[2]; ++c) exported.values(c, c) = noise;
  for (std::size_t row = 0; row < at.size(); ++row) {
    for (std::size_t column = 0; column < at.size(); ++column) {
      exported.scores(at[row], at[column]) = score(kind, head.kernel[row][column]);
      exported.values(at[row], at[column]) = output::nearest_double(head.flags[row][column]);
    }
  }
  if (certificate::kind_of(kind).gated) {
    exported.gate.resize(n);
    for (std::size_t query = 0; query < at.size(); ++query) {
      exported.gate[at[query]] = logit(head.gate[query]);
    }
  }
  return exported;
}

}  // namespace

Result<ExportedModel> export_construction(std::string_view text, std::size_t d_model,
                                          const std::string& where) {
  const auto construction = read_exact<certificate::Construction>(text, where);
  if (!construction) return tl::unexpected(construction.error());
  if (auto held = verify(*construction, where); !held) return tl::unexpected(held.error());
  ExportedModel model;
  model.attention = construction->attention;
  model.d_model = d_model;
  model.length = construction->length;
  model.layers.resize(1);
  for (const ConstructionHead& head : construction->heads) {
    model.layers[0].push_back(export_head(head, construction->attention, d_model));
  }
  model.sup_loss = construction->sup_loss;
  model.sha256 = certificate::sha256_hex(text);
  return model;
}

}  // namespace sinkproof::prove

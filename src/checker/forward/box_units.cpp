// What a pass over the box costs: FORMAT.md, section 7.
#include <algorithm>

#include "certificate/work.hpp"
#include "forward/box_pass.hpp"
#include "forward/polynomial.hpp"

namespace sinkproof::forward {
namespace {

// How many monomials of a degree up to g there are in so many letters.
std::uint64_t monomials(std::uint64_t letters, std::uint64_t g) {
  std::uint64_t count = 1;
  for (std::uint64_t k = 1; k <= g; ++k) {
    count = certificate::product_of({count, letters + k}) / k;
  }
  return count;
}

// Of a range of a polynomial of degree g in so many letters of the row's own and of a key.
std::uint64_t walk_units(std::uint64_t own, std::uint64_t key, std::uint64_t g) {
  using certificate::product_of;
  const std::uint64_t walked = std::min<std::uint64_t>(own, kMostWalked);
  std::uint64_t groups = 1;
  for (std::uint64_t k = 1; k < g && k <= kMostTogether; ++k) groups = product_of({groups, key});
  return product_of({walked, std::uint64_t{1} << walked, groups + 1}) / 48;
}

}  // namespace

std::uint64_t box_units(const Model& model, const BoxRequest& request) {
  using certificate::product_of;
  using certificate::sum_of;
  const std::uint64_t n = model.width;
  const std::uint64_t d = n - 3;
  const std::uint64_t heads = product_of({model.blocks.size(), model.blocks.front().heads});
  const bool has_triggers = request.rows != certificate::Rows::kPre;
  const std::uint64_t triggers =
      has_triggers ? request.last_trigger - request.first_trigger + 1 : 0;
  std::uint64_t rows = request.last_trigger - 2;
  for (std::size_t j = request.first_trigger; j <= request.last_trigger; ++j) {
    if (request.rows == certificate::Rows::kPost) rows += request.length - j;
  }
  // Letters of earlier layers' logits: BOS's, the row's own and, refined, the gate's; and each
  // key's.
  const certificate::AttentionKind& kind = model.blocks.front().kind;
  const bool is_lifted = (kind.kernel == certificate::Kernel::kExp && kind.normalised) ||
                         (request.refined && kind.kernel == certificate::Kernel::kSigmoid);
  const std::uint64_t lifted =
      is_lifted ? product_of({model.blocks.size() - 1, model.blocks.front().heads}) : 0;
  const std::uint64_t of_a_row = kind.gated && request.refined ? 3 : 2;
  const std::uint64_t own = sum_of({d, product_of({of_a_row, lifted})});
  const std::uint64_t key = sum_of({d, product_of({3, lifted})});
  const std::uint64_t each =
      sum_of({product_of({n, certificate::cost_of(model.bits)}), 4 * d}) / 12;
  const std::uint64_t products =
      sum_of({product_of({triggers, monomials(own + 2 * key, request.degree)}),
              product_of({rows, monomials(2 * own, request.row_degree)})});
  const std::uint64_t walk = walk_units(own, key, request.degree);
  const std::uint64_t logits =
      sum_of({product_of({triggers, walk}),
              product_of({1 + triggers, walk_units(own, key, request.row_degree)})});
  const std::uint64_t weights = product_of({100, sum_of({rows, triggers}), request.length + 1,
                                            certificate::cost_of(2ULL * kBoxPrecision)});
  const std::uint64_t hulls = product_of({5, rows, n, walk_units(own, key, 1)});
  // Of losses of rows whose keys stay, of three classes.
  const std::uint64_t apart =
      request.refined ? product_of({3, rows, n, walk_units(own, key, request.row_degree)}) : 0;
  return sum_of({apart, product_of({heads, n, products, each}),
                 product_of({heads, sum_of({product_of({4, logits}), weights, hulls})}),
                 product_of({triggers, n, walk})});
}

}  // namespace sinkproof::forward

// What a model does on a whole product of sets of ids, of one pass of forms: any model of the
// language pass. FORM_RULES.md.
#pragma once

#include <optional>
#include <vector>

#include "certificate/cover.hpp"
#include "exact/error.hpp"
#include "forward/range.hpp"
#include "language/cover_product.hpp"
#include "language/model.hpp"
#include "language/model_forms.hpp"

namespace sinkproof::language {

// SP0901: a pass of forms would hold too many words.
exact::Result<void> check_form(const certificate::Cover& cover, const Model& model);

struct FormFigures {
  forward::Range margin;
  std::vector<forward::Range> figures;  // of the statements but those of accuracy, in their order
};

// Between which numbers the figures of all sequences of the product lie; nothing where the numbers
// become too large or are not known well enough. `watch` is told of the pass. Precondition:
// check_cover and check_form. Throws Rejected where a weight is not a finite number, or a target
// not an answer.
std::optional<FormFigures> form_figures(const certificate::Cover& cover, const Model& model,
                                        const IdProduct& product,
                                        const forward::Observer<ModelForms>& watch = {});

}  // namespace sinkproof::language

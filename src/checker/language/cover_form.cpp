#include "language/cover_form.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "exact/whole.hpp"
#include "language/cover.hpp"
#include "language/model_pass.hpp"
#include "language/pass.hpp"

namespace sinkproof::language {
namespace {

using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverStatement;
using certificate::TokenIds;
using exact::Integer;
using forward::Range;

// One logit less another, of a row of logits: of the centre, and of each choice of each term.
struct Difference {
  struct Own {
    const Term* term;
    std::vector<Range> choices;
  };
  Range middle;
  std::vector<Own> terms;

  Difference(const Form& logits, std::size_t a, std::size_t b) : middle(of(logits.centre, 0, a, b)) {
    for (const Term& term : logits.terms) {
      Own own{&term, {}};
      for (std::size_t t = 0; t < term.rows.rows(); ++t) {
        own.choices.push_back(of(term.rows, t, a, b));
        if (term.is_number()) own.choices.back() = forward::hull(own.choices[t], -own.choices[t]);
      }
      terms.push_back(std::move(own));
    }
  }

  static Range of(const forward::Balls& rows, std::size_t i, std::size_t a, std::size_t b) {
    const Integer difference = rows.centre(i, a) - rows.centre(i, b);
    const Integer both = 2 * rows.radius[i];
    return {difference - both, difference + both};
  }
};

// By symbol which of its choices a part of the product has.
using Places = std::vector<std::vector<std::size_t>>;

Places places_of(const IdProduct& whole, const IdProduct& part) {
  Places places(whole.size());
  for (std::size_t f = 0; f < whole.size(); ++f) {
    std::size_t at = 0;
    for (const std::uint32_t id : part[f]) {
      while (whole[f][at] != id) ++at;
      places[f].push_back(at);
    }
  }
  return places;
}

// Of a target and one other answer, on a part.
struct Bounds {
  Range all;
  std::vector<std::vector<Integer>> upper;  // by term and place of a choice that is given

  Bounds(const Difference& of, const Places& places) : all(of.middle) {
    std::vector<Range> ranges;
    for (const Difference::Own& own : of.terms) {
      Range range = own.choices.front();
      if (!own.term->is_number()) {
        const std::vector<std::size_t>& at = places[own.term->symbol];
        range = own.choices[at.front()];
        for (const std::size_t t : at) range = forward::hull(range, own.choices[t]);
      }
      all = all + range;
      ranges.push_back(std::move(range));
    }
    for (std::size_t n = 0; n < of.terms.size(); ++n) {
      upper.emplace_back();
      if (of.terms[n].term->is_number()) continue;
      for (const std::size_t t : places[of.terms[n].term->symbol]) {
        upper.back().push_back(all.upper - ranges[n].upper + of.terms[n].choices[t].upper);
      }
    }
  }
};

// The margin of the sequences of a part, whose target is one: for each choice of one symbol, some
// answer may exceed it.
Range margin_of(const Form& logits, const IdProduct& whole, const IdProduct& part,
                std::uint32_t target, const TokenIds& answers) {
  const Places places = places_of(whole, part);
  std::optional<Bounds> least;  // by entry
  for (const std::uint32_t other : answers) {
    if (other == target) continue;
    const Bounds own(Difference(logits, target, other), places);
    if (!least) {
      least = own;
      continue;
    }
    least->all = {std::min(least->all.lower, own.all.lower),
                  std::min(least->all.upper, own.all.upper)};
    for (std::size_t n = 0; n < own.upper.size(); ++n) {
      for (std::size_t t = 0; t < own.upper[n].size(); ++t) {
        least->upper[n][t] = std::min(least->upper[n][t], own.upper[n][t]);
      }
    }
  }
  for (const std::vector<Integer>& upper : least->upper) {
    if (upper.empty()) continue;
    const Integer most = *std::max_element(upper.begin(), upper.end());
    least->all.upper = std::min(least->all.upper, most);
  }
  return least->all;
}

Range margin_of(const Cover& cover, const Form& logits, const IdProduct& product) {
  const TokenIds answers = certificate::listed(cover.answers);
  std::optional<Range> margin;
  by_target(cover, product, [&](const IdProduct& part, std::uint32_t target) {
    const Range own = margin_of(logits, product, part, target, answers);
    margin = margin ? forward::hull(*margin, own) : own;
    return true;
  });
  return *margin;
}

}  // namespace

// Rows of a row's form: its choices, and a number for each weight, activation and norm. FORM_RULES.md.
exact::Result<void> check_form(const Cover& cover, const Model& model) {
  const Config& config = model.config;
  const std::size_t length = cover.positions.size();
  Integer rows = 1;
  for (const certificate::IdSet& ids : cover.free_sets()) rows += certificate::size_of(ids);
  rows += Integer(config.layers) * (length * config.heads + 2 * config.heads + 68);
  std::uint64_t widest = std::max(config.width, config.heads * config.head_width);
  for (const Layer& layer : model.layers) {
    if (layer.mlp_in) widest = std::max<std::uint64_t>(widest, layer.mlp_in->out);
  }
  const Integer words = rows * (cover.precision / 64 + 4) *
                        Integer(length * 10 * widest + model.vocabulary());
  if (words <= kMostWords) return {};
  return exact::fail("SP0901", "by", "a leaf by form would hold more than 2^31 words");
}

std::optional<FormFigures> form_figures(const Cover& cover, const Model& model,
                                        const IdProduct& product,
                                        const forward::Observer<ModelForms>& watch) try {
  const std::size_t length = cover.positions.size();
  const std::vector<const CoverStatement*> asked = cover.figures();
  FormFigures found{{}, std::vector<Range>(asked.size())};
  forward::Observer<ModelForms> observer = watch;
  observer.head = [&](const forward::HeadRows<ModelForms>& rows) {
    for (std::size_t n = 0; n < asked.size(); ++n) {
      const CoverStatement& one = *asked[n];
      if (one.figure == CoverFigure::kAttention && one.layer == rows.layer &&
          one.head == rows.head) {
        found.figures[n] = rows.weights.back()[one.key - 1];
      }
    }
    if (watch.head) watch.head(rows);
  };
  std::vector<Choice> tokens;
  for (const std::size_t free : cover.free_numbers()) tokens.push_back({free});
  ModelForms numbers(model.config, length, product, cover.precision);
  ModelPass<ModelForms> pass(numbers, model);
  const std::vector<Run<Choice>> runs = {{tokens, {}}};
  const Forms last = pass.output(pass.hidden<Choice>(runs, observer, length - 1));
  Forms logits;
  numbers.map(*model.head, last, 0, logits, "logits");
  found.margin = margin_of(cover, logits.front(), product);
  for (std::size_t n = 0; n < asked.size(); ++n) {
    if (asked[n]->figure == CoverFigure::kMargin) found.figures[n] = found.margin;
    if (asked[n]->figure == CoverFigure::kLogit) {
      found.figures[n] = entry_of(logits.front(), asked[n]->id);
    }
  }
  return found;
} catch (const forward::TooCoarse&) {
  return std::nullopt;
}

}  // namespace sinkproof::language

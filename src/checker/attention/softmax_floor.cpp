// CHECKPOINT_RULES.md, 4.13.
#include "attention/kernel.hpp"
#include "attention/logit_forms.hpp"
#include "attention/rules.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// Keys beside BOS: so many of a flag, each with noise of its own, or the query itself.
struct Keys {
  std::size_t flag;
  std::size_t count;
  bool is_query = false;
};

// Of the longest row of a class.
std::vector<Keys> longest_row(const Head& head, Rows rows) {
  const std::size_t content = head.content_flag();
  if (rows == Rows::kTrigger) return {{content, head.length - 2}, {kTriggerFlag, 1, true}};
  std::vector<Keys> row = {{content, head.length - 3}, {content, 1, true}};
  if (rows == Rows::kPost) row.push_back({kTriggerFlag, 1});
  return row;
}

// The keys' logit, less BOS's if `from_bos`, at its largest over a key's own noise.
SignForm key_form(const Head& head, std::size_t query, const Keys& of, bool from_bos) {
  SignForm form(head.noise);
  add_base(form, head, query, of.flag, 1);
  if (from_bos) add_base(form, head, query, kBosFlag, -1);
  if (of.is_query) {
    add_self(form, head, query, 1);
  } else {
    add_absolute_qs(form, head, query, 0, {}, 1);
  }
  return form;
}

}  // namespace

KeyForms softmax_floor_forms(const Layer& layer, std::size_t h, Rows rows, bool from_bos) {
  const Head& head = layer.heads[h];
  const std::size_t query = rows == Rows::kTrigger ? kTriggerFlag : head.content_flag();
  KeyForms result;
  for (const Keys& of : longest_row(head, rows)) {
    result.counts.push_back(of.count);
    result.forms.push_back(key_form(head, query, of, from_bos));
  }
  if (layer.kind.null_slot) {
    result.counts.push_back(1);
    add_base(result.forms.emplace_back(head.noise), head, query, kBosFlag, from_bos ? -1 : 1);
  }
  return result;
}

void require_bound(const Layer& layer, const Bound& bound, const certificate::BySoftmaxFloor& by) {
  Obligations proof(by);
  for_each_head(layer, bound, [&](std::size_t h) {
    const auto [counts, forms] =
        softmax_floor_forms(layer, h, *bound.rows, !is_null(bound.readout));
    const std::string where = "head " + std::to_string(h);
    proof.at_leaves(forms, where, [&, &counts = counts](const std::vector<Rational>& f) {
      if (bound.lower == 0) return;
      Rational total = 1;
      for (std::size_t i = 0; i < f.size(); ++i) total += counts[i] * exp_up(f[i]);
      require(bound.lower * total <= 1, where, "a leaf does not close");
    });
  });
  proof.finish();
}

}  // namespace sinkproof::check

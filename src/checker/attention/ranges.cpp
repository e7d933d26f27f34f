#include "attention/ranges.hpp"

#include "attention/kernel.hpp"
#include "attention/logit_forms.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using certificate::HeadRanges;
using certificate::Interval;
using certificate::Kernel;
using certificate::KernelClass;
using exact::Rational;

// The interval encloses the kernel on [low, high].
void require_kernel(Kernel kernel, const Rational& low, const Rational& high,
                    const Interval& interval, const std::string& where) {
  require(kernel_down(kernel, low) >= interval.least, where, "a kernel may be below least");
  require(kernel_up(kernel, high) <= interval.greatest, where, "a kernel may be above greatest");
}

void require_gate(const Layer& layer, std::size_t h, std::size_t flag, const Interval& interval) {
  const auto [low, high] = gate_logits(layer.gates[h], flag);
  require_kernel(Kernel::kSigmoid, low, high, interval, "gate of flag " + std::to_string(flag));
}

void require_head(const Layer& layer, std::size_t h, const HeadRanges& ranges, Obligations& proof) {
  const Head& head = layer.heads[h];
  const std::size_t content = head.content_flag();
  const std::string where = "ranges of head " + std::to_string(h);
  const auto verify = [&](Rows rows, Key key) {
    const std::size_t query = rows == Rows::kTrigger ? kTriggerFlag : content;
    std::optional<std::size_t> reference;
    if (layer.kind.is_relative()) {
      reference = ranges_of(ranges, rows).bos_reference ? kBosFlag : content;
    }
    const KernelClass of = classes_of(ranges, rows)[key];
    proof.at_most(logit_form(head, query, key, reference, 1), of.high, where);
    proof.at_most(logit_form(head, query, key, reference, -1), -of.low, where);
    require_kernel(layer.kind.kernel, of.low, of.high, of.kernel, where);
  };
  for (const Rows rows : {Rows::kPre, Rows::kTrigger}) {
    for (const Key key : {kBosKey, kContentKey, kTriggerKey}) verify(rows, key);
  }
  if (layer.kind.null_slot) {
    for (const Rows rows : {Rows::kPre, Rows::kTrigger}) verify(rows, kNullSlot);
  }
  const Rational logit = first_logit(layer, h);
  require_kernel(layer.kind.kernel, logit, logit, ranges.first, "bos");
  if (!layer.kind.gated) return;
  require_gate(layer, h, content, ranges.content.gate);
  require_gate(layer, h, kTriggerFlag, ranges.trigger.gate);
  require_gate(layer, h, kBosFlag, ranges.first_gate);
}

}  // namespace

SignForm logit_form(const Head& head, std::size_t query, Key key,
                    std::optional<std::size_t> reference, int factor) {
  SignForm form(head.noise);
  if (key != kNullSlot) add_base(form, head, query, flag_of(head, key), factor);
  if (reference) add_base(form, head, query, *reference, -factor);
  if (key == kNullSlot || key == kBosKey) return form;
  if (query == kTriggerFlag && key == kTriggerKey) {
    add_self(form, head, query, factor);
  } else {
    add_absolute_qs(form, head, query, 0, {}, 1);
  }
  return form;
}

Interval gate_logits(const Gate& gate, std::size_t flag) {
  const Rational swing = flag == kBosFlag ? Rational(0) : noise_weights(gate).sum();
  const Rational middle = gate.bias + gate.weight(0, flag);
  return {middle - swing, middle + swing};
}

// Only the ratio to the null slot's kernel matters in row 1, and without one nothing does.
Rational first_logit(const Layer& layer, std::size_t head) {
  const bool only_ratio = layer.kind.is_relative() && !layer.kind.null_slot;
  return only_ratio ? Rational(0) : layer.heads[head].logit(kBosFlag, kBosFlag);
}

void require_ranges(const Layer& layer, const std::vector<HeadRanges>& ranges, Obligations& proof) {
  for (std::size_t h = 0; h < layer.heads.size(); ++h) require_head(layer, h, ranges[h], proof);
}

}  // namespace sinkproof::check

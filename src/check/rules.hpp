// The rules of checkpoint certificates, one file each. A rule takes the head, the rows it speaks
// of, the bound to be proved and the `proof` object, and returns if and only if the bound is proved
// (for all inputs, CHECKPOINT_RULES.md sections 4.7 to 4.14); otherwise it throws Rejected.
#pragma once

#include "check/head.hpp"
#include "check/witness.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

void rule_softmax_range(const Head& head, Rows rows, const exact::Rational& upper,
                        const json::Value& proof);
void rule_softmax_row(const Head& head, Rows rows, const exact::Rational& upper,
                      const json::Value& proof);
void rule_softmax_bos_floor(const Head& head, Rows rows, const exact::Rational& lower,
                            const json::Value& proof);
void rule_softmax_trigger_row(const Head& head, const exact::Rational& upper,
                              const json::Value& proof);
void rule_relu_row(const Head& head, Rows rows, const exact::Rational& upper,
                   const json::Value& proof);
void rule_relu_trigger_row(const Head& head, const exact::Rational& upper,
                           const json::Value& proof);
void rule_relu_trigger_range(const Head& head, const exact::Rational& upper,
                             const json::Value& proof);
void rule_relu_bos_ceiling(const Head& head, Rows rows, const exact::Rational& upper,
                           const json::Value& proof);

}  // namespace sinkproof::check

#include "check/witness.hpp"

#include <algorithm>

#include "certificate/fields.hpp"
#include "check/exp_bound.hpp"
#include "check/hints.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// The least common denominator of all tokens has at most 400 digits: sums over them stay short.
void require_short(const exact::Integer& common, const std::string& where) {
  static const exact::Integer limit = boost::multiprecision::pow(exact::Integer(10), 400);
  require(common < limit, where, "a common denominator of more than 400 digits");
}

std::vector<Rational> read_token(const json::Value& list, const Head& head, std::size_t position,
                                 std::size_t trigger, exact::Integer& common) {
  const std::string where = "witness token " + std::to_string(position);
  require(list.is_array() && list.size() == head.width, where, "must be n numbers");
  const std::size_t flag = position == 1         ? kBosFlag
                           : position == trigger ? kTriggerFlag
                                                 : head.content_flag();
  std::vector<Rational> token;
  for (std::size_t c = 0; c < head.width; ++c) {
    require(list[c].is_string(), where, "must hold rational strings");
    const Rational x = value_of(exact::parse_rational(list[c].get<std::string>()));
    if (head.is_noise(c) && position != 1) {
      require(-1 <= x && x <= 1, where, "noise outside [-1, 1]");
    } else {
      require(x == (c == flag ? 1 : 0), where, "flags are not those of this position");
    }
    common = boost::multiprecision::lcm(common, boost::multiprecision::denominator(x));
    require_short(common, where);
    token.push_back(x);
  }
  return token;
}

// Logits of the witness's row on positions 1..i.
std::vector<Rational> scores(const Head& head, const Witness& witness) {
  const std::vector<Rational>& query = witness.tokens[witness.row - 1];
  std::vector<Rational> projected(head.width);
  for (std::size_t c = 0; c < head.width; ++c) {
    for (std::size_t k = 0; k < head.width; ++k) projected[c] += query[k] * head.logit(k, c);
  }
  std::vector<Rational> result;
  for (std::size_t k = 0; k < witness.row; ++k) result.push_back(dot(projected, witness.tokens[k]));
  return result;
}

Rational relu_weight(const Rational& score, std::size_t row) {
  return exact::max(0, score) / Rational(std::max<std::size_t>(1, row - 1));
}

// s (V token_k)_r for k = 1..i.
std::vector<Rational> values(const Head& head, const Witness& witness) {
  std::vector<Rational> row(head.width);
  for (std::size_t c = 0; c < head.width; ++c) {
    row[c] = witness.sign * head.value(witness.coordinate, c);
  }
  std::vector<Rational> result;
  for (std::size_t k = 0; k < witness.row; ++k) result.push_back(dot(row, witness.tokens[k]));
  return result;
}

}  // namespace

Rational dot(const std::vector<Rational>& a, const std::vector<Rational>& b) {
  Rational sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

Rational target(const Witness& witness) {
  if (witness.row != witness.trigger) return 0;
  Rational sum = 0;
  for (std::size_t k = 1; k < witness.row; ++k) sum += witness.tokens[k][witness.coordinate];
  return sum / Rational(witness.row - 1);
}

Witness read_witness(const json::Value& object, const Head& head, Rows rows, bool from_two) {
  using certificate::integer_field;
  keys(object, {"coordinate", "row", "sign", "tokens", "trigger"}, "witness");
  const auto length = static_cast<std::int64_t>(head.length);
  const auto width = static_cast<std::int64_t>(head.width);
  Witness witness;
  witness.trigger =
      static_cast<std::size_t>(value_of(integer_field(object, "trigger", 3, length, "witness")));
  witness.row = static_cast<std::size_t>(
      value_of(integer_field(object, "row", from_two ? 2 : 1, length, "witness")));
  witness.coordinate = static_cast<std::size_t>(
      value_of(integer_field(object, "coordinate", 0, width - 1, "witness")));
  witness.sign = static_cast<int>(value_of(integer_field(object, "sign", -1, 1, "witness")));
  require(witness.sign != 0, "witness", "sign must be 1 or -1");
  const bool in_class = rows == Rows::kPre       ? witness.row < witness.trigger
                        : rows == Rows::kTrigger ? witness.row == witness.trigger
                                                 : witness.row > witness.trigger;
  require(in_class, "witness", "its row is not of the property's class");
  const json::Value& tokens = *value_of(certificate::array_field(object, "tokens", "witness"));
  require(tokens.size() == head.length, "witness", "must have L tokens");
  exact::Integer common = 1;
  for (std::size_t position = 1; position <= head.length; ++position) {
    witness.tokens.push_back(
        read_token(tokens[position - 1], head, position, witness.trigger, common));
  }
  return witness;
}

Rational loss_down(const Head& head, const Witness& witness) {
  const std::vector<Rational> score = scores(head, witness);
  const std::vector<Rational> value = values(head, witness);
  const Rational aim = witness.sign * target(witness);
  if (!head.softmax) {
    Rational out = 0;
    for (std::size_t k = 0; k < score.size(); ++k) {
      out += relu_weight(score[k], witness.row) * value[k];
    }
    return out - aim;
  }
  Rational numerator = 0;
  Rational down = 0;
  Rational up = 0;
  for (std::size_t k = 0; k < score.size(); ++k) {
    const Rational weight_down = exp_down(score[k] - score[0]);
    const Rational weight_up = exp_up(score[k] - score[0]);
    const Rational z = value[k] - aim;
    numerator += z >= 0 ? weight_down * z : weight_up * z;
    down += weight_down;
    up += weight_up;
  }
  return numerator >= 0 ? numerator / up : numerator / down;
}

Rational bos_down(const Head& head, const Witness& witness) {
  const std::vector<Rational> score = scores(head, witness);
  if (!head.softmax) return relu_weight(score[0], witness.row);
  Rational total = 0;
  for (const Rational& x : score) total += exp_up(x - score[0]);
  return 1 / total;
}

Rational bos_up(const Head& head, const Witness& witness) {
  const std::vector<Rational> score = scores(head, witness);
  if (!head.softmax) return relu_weight(score[0], witness.row);
  Rational total = 0;
  for (const Rational& x : score) total += exp_down(x - score[0]);
  return 1 / total;
}

}  // namespace sinkproof::check

#include "check/checkpoint_work.hpp"

#include <algorithm>
#include <string>

#include "check/rejected.hpp"
#include "check/sizes.hpp"

namespace sinkproof::check {
namespace {

using certificate::cost_of;
using certificate::product_of;
using certificate::sum_of;
using certificate::words_of;

constexpr std::uint64_t kMaxCharacters = 2000;

// A key of an object as text, "" where there is none: what is malformed costs nothing here and is
// refused later.
std::string text_at(const json::Value& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t count_at(const json::Value& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

class Spender {
 public:
  Spender(const Attention& attention, const ModelSizes& sizes, std::uint64_t longest,
          certificate::Work& work)
      : attention_(attention), sizes_(sizes), longest_(longest), work_(work) {}

  void spend_property(const json::Value& property) {
    if (!property.is_object()) return;
    const std::string name = text_at(property, "name");
    if (property.contains("witness") && property["witness"].contains("tokens")) spend_witness();
    if (!property.contains("proof") || !property["proof"].is_object()) return;
    const std::string rule = text_at(property["proof"], "rule");
    const bool has_exp = rule == "softmax-row" || rule == "softmax-bos-floor";
    const std::uint64_t forms = !has_exp ? 1 : name.ends_with(".post") ? 3 : 2;
    spend_trees(property["proof"], forms, has_exp);
    if (rule == "layer-row") spend_layer_row();
    if (rule == "sampling") {
      spend_samples(count_at(property, "samples"), count_at(property, "exceeding"));
    }
  }

  void spend_trees(const json::Value& value, std::uint64_t forms, bool has_exp) {
    const std::uint64_t n = sizes_.width;
    const std::uint64_t cost = words_of(sum_of({2 * sizes_.bits, 8 * longest_, 64}));
    for_each_tree(value, [&](std::uint64_t characters) {
      spend({forms, n, sum_of({20 * n, 2 * characters}), cost}, "tree");
      if (has_exp) spend({500, forms, characters}, "tree");
    });
  }

 private:
  void spend_witness() {
    const std::uint64_t n = sizes_.width;
    spend({sizes_.heads, sum_of({2 * n * n, product_of({4, n, sizes_.length})}),
           cost_of(2 * sizes_.bits + 2800)},
          "witness");
    if (attention_.kernel == Kernel::kRelu || attention_.kernel == Kernel::kLinear) return;
    spend({2000, sizes_.heads, sizes_.length}, "witness");
  }

  void spend_layer_row() {
    const std::uint64_t bits =
        sum_of({2 * sizes_.bits, product_of({sizes_.heads, 16 * longest_ + 64})});
    spend({3, sizes_.length, sizes_.heads, sizes_.width, sizes_.width + 40, words_of(bits),
           1 + longest_ / 128},
          "layer-row");
  }

  void spend_samples(std::uint64_t samples, std::uint64_t exceeding) {
    const std::uint64_t n = sizes_.width;
    spend({samples, sizes_.length, sum_of({n * n * cost_of(2 * sizes_.bits + 64), 1000})},
          "theorem.tc-2");
    spend({samples, exceeding}, "theorem.tc-2");
  }

  void spend(std::initializer_list<std::uint64_t> factors, const std::string& where) {
    value_of(work_.spend(factors, where));
  }

  const Attention& attention_;
  const ModelSizes& sizes_;
  std::uint64_t longest_;  // D
  certificate::Work& work_;
};

}  // namespace

void spend_model(const ModelSizes& sizes, certificate::Work& work) {
  const std::uint64_t n = sizes.width;
  value_of(work.spend({1000, sizes.heads, n, n}, "weights"));
  value_of(work.spend({sizes.heads, n, n, n, sum_of({1, cost_of(sizes.bits)})}, "model"));
}

void spend_properties(const json::Value& certificate, const Attention& attention,
                      const ModelSizes& sizes, certificate::Work& work) {
  const json::Value none = json::Value::array();
  const json::Value& properties =
      certificate.contains("properties") ? certificate["properties"] : none;
  const json::Value& ranges = certificate.contains("ranges") ? certificate["ranges"] : none;
  std::uint64_t longest = 0;
  for (const json::Value* part : {&properties, &ranges}) {
    const LongestText text = longest_text(*part);
    require(text.characters <= kMaxCharacters, text.key, "has more than 2000 characters");
    longest = std::max(longest, text.characters);
  }
  Spender spender(attention, sizes, longest, work);
  spender.spend_trees(ranges, 1, false);
  if (!properties.is_array()) return;
  for (const json::Value& property : properties) spender.spend_property(property);
}

}  // namespace sinkproof::check

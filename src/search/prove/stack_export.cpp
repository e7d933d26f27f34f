#include "prove/stack_export.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "certificate/fields.hpp"
#include "certificate/formula.hpp"
#include "certificate/sha256.hpp"
#include "prove/nearest_double.hpp"

namespace sinkproof::prove {
namespace {

using certificate::require;
using exact::Rational;
using exact::RationalMatrix;
using json::Value;

constexpr std::size_t kMaxLength = 4096;
constexpr std::size_t kMaxHeads = 64;

// A combination of unit vectors, the last of them that of the noise coordinate a group is at.
constexpr std::array<const char*, 4> kUnitVectors = {"bos", "trigger", "content", "noise"};
using Combination = std::array<Rational, kUnitVectors.size()>;

// coefficient u v^T, or coefficient P: the identity without BOS's coordinate.
struct Term {
  Rational coefficient;
  bool is_projector = false;
  Combination u;
  Combination v;
};

struct Head {
  std::vector<Term> scores;
  std::vector<Term> values;
};
using Layer = std::vector<Head>;

// Layers once, or once for each noise coordinate.
struct Group {
  bool for_each_noise = false;
  std::vector<Layer> layers;
};

class Reader {
 public:
  explicit Reader(const Value& parameters, const std::string& where) {
    require(parameters.is_object() && parameters.size() <= certificate::kMaxVariables, where,
            "parameters must be an object of at most 64 numbers", "SP0503");
    for (const auto& item : parameters.items()) {
      require(certificate::is_variable_name(item.key()), where,
              "\"" + item.key().substr(0, 40) + "\" is no name of a parameter", "SP0503");
      names_.push_back(item.key());
      values_.push_back(
          certificate::read_expression(item.value(), {}, where).polynomial.evaluate({}));
    }
  }

  std::vector<Group> read_groups(const Value& layers, const std::string& where) {
    return each(layers, where, [&](const Value& object, const std::string& here) {
      if (!object.is_object() || !object.contains("for_each")) {
        return Group{false, {read_layer(object, here)}};
      }
      certificate::keys(object, {"for_each", "layers"}, here);
      require(object["for_each"] == "noise", here, "for_each must be \"noise\"", "SP0503");
      in_noise_group_ = true;
      const auto read = [&](const Value& layer, const std::string& at) {
        return read_layer(layer, at);
      };
      Group group{true, each(object["layers"], here + ".layers", read)};
      in_noise_group_ = false;
      return group;
    });
  }

 private:
  // What `read` makes of the entries of a list that has some.
  template <typename Read>
  static auto each(const Value& list, const std::string& where, const Read& read)
      -> std::vector<decltype(read(list, where))> {
    require(list.is_array() && !list.empty(), where, "must be an array that is not empty",
            "SP0503");
    std::vector<decltype(read(list, where))> results;
    for (std::size_t i = 0; i < list.size(); ++i) {
      results.push_back(read(list[i], where + "[" + std::to_string(i) + "]"));
    }
    return results;
  }

  Layer read_layer(const Value& object, const std::string& where) {
    certificate::keys(object, {"heads"}, where);
    Layer layer =
        each(object["heads"], where + ".heads", [&](const Value& head, const std::string& here) {
          certificate::keys(head, {"scores", "values"}, here);
          return Head{read_terms(head["scores"], here + ".scores"),
                      read_terms(head["values"], here + ".values")};
        });
    if (heads_ == 0) heads_ = layer.size();
    require(layer.size() == heads_ && heads_ <= kMaxHeads, where,
            "must have 1 to 64 heads, as many as the layers before it", "SP0503");
    return layer;
  }

  std::vector<Term> read_terms(const Value& list, const std::string& where) {
    return each(list, where, [&](const Value& object, const std::string& here) {
      Term term;
      term.is_projector = object.is_object() && object.contains("matrix");
      certificate::keys(object,
                        term.is_projector ? std::vector<std::string>{"coefficient", "matrix"}
                                          : std::vector<std::string>{"coefficient", "u", "v"},
                        here);
      term.coefficient = read_number(object["coefficient"], here + ".coefficient");
      if (term.is_projector) {
        require(object["matrix"] == "P", here, "matrix must be \"P\"", "SP0503");
      } else {
        term.u = read_combination(object["u"], here + ".u");
        term.v = read_combination(object["v"], here + ".v");
      }
      return term;
    });
  }

  Combination read_combination(const Value& object, const std::string& where) {
    require(object.is_object() && !object.empty(), where,
            "must be an object of numbers by unit vector", "SP0503");
    const auto* const end = kUnitVectors.end() - (in_noise_group_ ? 0 : 1);
    Combination combination;
    for (const auto& item : object.items()) {
      const auto* const found = std::find(kUnitVectors.begin(), end, item.key());
      require(found != end, where,
              "\"" + item.key().substr(0, 40) +
                  "\" is none of bos, trigger, content and, inside for_each, noise",
              "SP0503");
      combination.at(static_cast<std::size_t>(found - kUnitVectors.begin())) =
          read_number(item.value(), where);
    }
    return combination;
  }

  Rational read_number(const Value& expression, const std::string& where) {
    return certificate::read_expression(expression, names_, where).polynomial.evaluate(values_);
  }

  std::vector<std::string> names_;
  std::vector<Rational> values_;
  std::size_t heads_ = 0;
  bool in_noise_group_ = false;
};

void add(RationalMatrix& sum, const Term& term, std::size_t noise) {
  const std::size_t n = sum.rows();
  if (term.is_projector) {
    for (std::size_t c = 1; c < n; ++c) sum(c, c) += term.coefficient;
    return;
  }
  const std::array<std::size_t, kUnitVectors.size()> at = {0, 1, n - 1, noise};
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = 0; b < at.size(); ++b) {
      sum(at[a], at[b]) += term.coefficient * term.u[a] * term.v[b];
    }
  }
}

exact::Matrix<double> rounded(const std::vector<Term>& terms, std::size_t n, std::size_t noise) {
  RationalMatrix sum(n, n);
  for (const Term& term : terms) add(sum, term, noise);
  exact::Matrix<double> result(n, n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      if (sum(r, c) != 0) result(r, c) = nearest_double(sum(r, c));
    }
  }
  return result;
}

// At noise coordinate `noise`, which no term names outside for_each.
void append(std::vector<std::vector<ExportedHead>>& layers, const Group& group, std::size_t n,
            std::size_t noise) {
  for (const Layer& layer : group.layers) {
    auto& heads = layers.emplace_back();
    for (const Head& head : layer) {
      heads.push_back({rounded(head.scores, n, noise), rounded(head.values, n, noise), {}});
    }
  }
}

void require_small(const std::vector<Group>& groups, std::size_t n, const std::string& where) {
  std::size_t layers = 0;
  for (const Group& group : groups) {
    layers += group.layers.size() * (group.for_each_noise ? n - 3 : 1);
  }
  const std::size_t heads = groups[0].layers[0].size();
  require(layers <= kMaxExportedWeights / (4 * heads * n * n), where,
          std::to_string(layers) + " layers of that width have more than " +
              std::to_string(kMaxExportedWeights) + " weights",
          "SP1316");
}

ExportedModel read_all(const Value& content, std::size_t n, const std::string& where) {
  certificate::keys(content, {"attention", "layers", "length", "parameters", "residual"}, where);
  const auto* const kind =
      certificate::find_attention(certificate::text(content, "attention", where));
  require(kind != nullptr && !kind->gated && !kind->sinks, where,
          "attention must be of a kind whose heads have scores and values only", "SP0503");
  require(content["residual"].is_boolean(), where, "residual must be true or false", "SP0503");
  const auto groups = Reader(content["parameters"], where + ": parameters")
                          .read_groups(content["layers"], where + ": layers");
  require_small(groups, n, where);
  ExportedModel model;
  model.attention = kind->attention;
  model.d_model = n;
  model.length = certificate::count(content, "length", 3, kMaxLength, where);
  model.residual = content["residual"].get<bool>();
  for (const Group& group : groups) {
    const std::size_t end = group.for_each_noise ? n - 1 : 3;
    for (std::size_t noise = 2; noise < end; ++noise) append(model.layers, group, n, noise);
  }
  return model;
}

}  // namespace

exact::Result<ExportedModel> export_stack(std::string_view text, std::size_t d_model,
                                          const std::string& where) {
  const auto content = json::parse_strict(text, where);
  if (!content) return tl::unexpected(content.error());
  auto model = certificate::result_of([&] { return read_all(*content, d_model, where); });
  if (model) {
    model->sha256 = certificate::sha256_hex(text);
  } else if (model.error().code == "SP0503") {
    model.error().code = "SP1315";  // that of a certificate's fields: another kind of file
  }
  return model;
}

}  // namespace sinkproof::prove

#include "prove/stack_export.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "certificate/formula.hpp"
#include "certificate/schema.hpp"
#include "certificate/sha256.hpp"
#include "output/nearest_double.hpp"

namespace sinkproof::prove {
namespace {

using certificate::Entries;
using certificate::Fields;
using certificate::Key;
using certificate::require;
using exact::Rational;
using exact::RationalMatrix;

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
  explicit Reader(Fields& io) {
    json::Value parameters;
    io.value("parameters", parameters);
    io.require_of("parameters",
                  parameters.is_object() && parameters.size() <= certificate::kMaxVariables,
                  "must be an object of at most 64 numbers", "SP0503");
    io.object("parameters", [&](Fields& part) {
      for (const auto& item : parameters.items()) {
        part.require(certificate::is_variable_name(item.key()),
                     "\"" + item.key().substr(0, 40) + "\" is not the name of a parameter",
                     "SP0503");
        values_.push_back(read_number(part, item.key()));
      }
    });
    for (const auto& item : parameters.items()) names_.push_back(item.key());
  }

  std::vector<Group> read_groups(Fields& io) {
    std::vector<Group> groups;
    each(io, "layers", groups, [&](Fields& object, Group& group) {
      group.for_each_noise = object.has("for_each", false);
      if (!group.for_each_noise) return read_layer(object, group.layers.emplace_back());
      object.constant("for_each", "noise", "SP0503");
      in_noise_group_ = true;
      each(object, "layers", group.layers,
           [&](Fields& part, Layer& layer) { read_layer(part, layer); });
      in_noise_group_ = false;
    });
    return groups;
  }

 private:
  // The objects of a list that has some.
  template <typename T, typename Read>
  static void each(Fields& io, const char* key, std::vector<T>& of, const Read& read) {
    io.list(key, of, {1, SIZE_MAX, "must be an array that is not empty", "SP0503"},
            [&](Fields& list, const Key& at, T& one) {
              list.object(at, [&](Fields& part) { read(part, one); });
            });
  }

  void read_layer(Fields& io, Layer& layer) {
    each(io, "heads", layer, [&](Fields& part, Head& head) {
      read_terms(part, "scores", head.scores);
      read_terms(part, "values", head.values);
    });
    if (heads_ == 0) heads_ = layer.size();
    io.require(layer.size() == heads_ && heads_ <= kMaxHeads,
               "must have 1 to 64 heads, as many as the layers before it", "SP0503");
  }

  void read_terms(Fields& io, const char* key, std::vector<Term>& terms) {
    each(io, key, terms, [&](Fields& part, Term& term) {
      term.coefficient = read_number(part, "coefficient");
      term.is_projector = part.has("matrix", false);
      if (term.is_projector) return part.constant("matrix", "P", "SP0503");
      read_combination(part, "u", term.u);
      read_combination(part, "v", term.v);
    });
  }

  // Numbers by unit vector; that of the noise inside for_each alone.
  void read_combination(Fields& io, const char* key, Combination& combination) {
    io.object(key, [&](Fields& part) {
      const std::size_t known = kUnitVectors.size() - (in_noise_group_ ? 0 : 1);
      bool is_empty = true;
      for (std::size_t i = 0; i < known; ++i) {
        if (!part.has(kUnitVectors[i], false)) continue;
        combination[i] = read_number(part, kUnitVectors[i]);
        is_empty = false;
      }
      part.require(!is_empty, "must have a number for a unit vector", "SP0503");
    });
  }

  Rational read_number(Fields& io, const Key& key) {
    certificate::Expression expression;
    describe(io, key, expression, names_);
    return expression.polynomial.evaluate(values_);
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
      if (sum(r, c) != 0) result(r, c) = output::nearest_double(sum(r, c));
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

ExportedModel read_all(const json::Value& content, std::size_t n, const std::string& where) {
  require(content.is_object(), where, "must be an object", "SP0503");
  Fields io(content, "");
  io.set_path(where);
  ExportedModel model;
  std::string name;
  io.text("attention", name);
  const auto* const kind = certificate::find_attention(name);
  io.require_of("attention", kind != nullptr && !kind->gated && !kind->sinks,
                "must be of a kind whose heads have scores and values only", "SP0503");
  model.attention = kind->attention;
  model.d_model = n;
  io.count("length", model.length, 3, kMaxLength);
  io.flag("residual", model.residual);
  const auto groups = Reader(io).read_groups(io);
  io.finish();
  require_small(groups, n, where);
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

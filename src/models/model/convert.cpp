#include "model/convert.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "model/foreign_file.hpp"
#include "model/gathered.hpp"
#include "model/scale_text.hpp"
#include "output/nearest_double.hpp"
#include "output/safetensors.hpp"

namespace sinkproof::model {
namespace {

using exact::fail;
using exact::Result;
using safetensors::Contents;
using safetensors::Tensor;

// Widths of a layer: H heads of w <= d; weights [out, in], or all of them [in, out] as GPT-2's.
struct Widths {
  std::size_t heads = 1;
  std::size_t head = 0;
  std::size_t model = 0;
  bool input_first = false;

  [[nodiscard]] std::size_t all_heads() const { return heads * head; }
};

Result<Contents> renamed(const Contents& contents, const Conversion& conversion,
                         const std::string& where) {
  Contents result{contents.metadata, {}};
  std::map<std::string, std::string> names;
  for (const std::string& pair : conversion.map) {
    const std::size_t equals = pair.find('=');
    const std::string old = pair.substr(0, equals);
    if (equals == std::string::npos || !contents.tensors.contains(old)) {
      return fail("SP1114", "--map " + pair.substr(0, 80),
                  "must be OLD=NEW, where OLD is a tensor of " + where + ": " + names_in(contents));
    }
    names[old] = pair.substr(equals + 1);
  }
  std::string only = conversion.only;
  if (!only.empty() && only.back() != '.') only += '.';
  for (const auto& [name, tensor] : contents.tensors) {
    const auto found = names.find(name);
    const std::string& chosen = found == names.end() ? name : found->second;
    if (chosen.empty() || (found == names.end() && !name.starts_with(only))) continue;
    if (!result.tensors.emplace(chosen, tensor).second) {
      return fail("SP1114", std::string("--map ").append(name).append("=").append(chosen),
                  "must give a name that no other tensor has");
    }
  }
  if (!result.tensors.empty()) return result;
  if (conversion.only.empty())
    return fail("SP1112", where, "holds no tensors, or all are left out by --map");
  return fail("SP1114", "--only " + conversion.only,
              "is not a prefix of a tensor of " + where + ": " + names_in(contents));
}

// What a conversion needs to know, of the command line or else of the file.
Result<std::map<std::string, std::string>> metadata(const Contents& contents,
                                                    const ModelNames& names,
                                                    const Conversion& conversion,
                                                    const std::string& where) {
  const Overrides& says = conversion.says;
  auto words = contents.metadata;
  if (says.attention) words["attention"] = *says.attention;
  if (says.length) words["seq_len"] = std::to_string(*says.length);
  if (says.num_heads) words["num_heads"] = std::to_string(*says.num_heads);
  if (says.residual) words["residual"] = *says.residual ? "true" : "false";
  if (says.scale) words["scale"] = *says.scale;
  if (names.layers.size() == 1) words.emplace("residual", "false");
  std::string missing;
  for (const auto& [key, option] : {std::pair("attention", "--attention"),
                                    {"num_heads", "--num-heads"},
                                    {"residual", "--residual"},
                                    {"scale", "--scale"}}) {
    if (!words.contains(key)) missing += (missing.empty() ? "" : ", ") + std::string(option);
  }
  if (!missing.empty()) {
    return exact::fail_with_lines("SP1113", where,
                                  "does not state what a checkpoint needs; give " + missing);
  }
  if (irrational_square(words["scale"])) return words;
  auto scale = parse_scale(words["scale"], says.scale ? "--scale" : where + ": metadata scale");
  if (!scale) return tl::unexpected(scale.error());
  words["scale"] = exact::to_string(*scale);
  return words;
}

tl::unexpected<exact::Error> misfit(const std::string& where, const std::string& tensor,
                                    const std::string& what) {
  return fail("SP1104", where + ": " + tensor, what);
}

using Shape = std::vector<std::uint64_t>;

// The orientation follows from the output's weight: [d, H w] beside [parts H w, d], or both
// transposed. Square ones alone are nn.Linear's.
Result<Widths> widths_of(const Contents& contents, const LayerNames& layer, std::size_t heads,
                         const std::string& where) {
  const TensorPart& query = layer.tensors.at("W_Q.weight");
  const std::string& output_name = layer.tensors.at("W_O.weight").tensor;
  const Shape& shape = contents.tensors.at(query.tensor).shape;
  const Shape& output = contents.tensors.at(output_name).shape;
  if (shape.size() != 2 || output.size() != 2) {
    return misfit(where, query.tensor, "must be a matrix in the layout of nn.Linear");
  }
  Widths widths{heads, 0, output[0], false};
  std::uint64_t wide = output[1];
  if (shape != Shape{query.parts * wide, output[0]} && query.parts > 1) {
    widths.input_first = true;
    widths.model = output[1];
    wide = output[0];
  }
  if (heads == 0 || wide % heads != 0 || wide / heads > widths.model || wide == 0) {
    return misfit(where, output_name,
                  shape_text(output) + " does not hold " + std::to_string(heads) +
                      " heads of one width of at most d_model; give the number with --num-heads");
  }
  widths.head = wide / heads;
  return widths;
}

// Places of a head-by-head dimension of H w, in one of H d.
std::optional<std::uint64_t> unpadded(const Widths& widths, std::uint64_t place) {
  const std::uint64_t within = place % widths.model;
  if (within >= widths.head) return std::nullopt;
  return place / widths.model * widths.head + within;
}

// Weight [H d, d] and bias [H d] of queries, keys and values.
Result<Tensor> projection(const Tensor& source, const TensorPart& part, const Widths& widths,
                          bool weight, const std::string& where) {
  const std::uint64_t all = part.parts * widths.all_heads();
  const std::uint64_t n = widths.model;
  const Shape needed = !weight ? Shape{all} : widths.input_first ? Shape{n, all} : Shape{all, n};
  if (source.shape != needed) {
    return misfit(where, part.tensor,
                  "shape " + shape_text(source.shape) + " where " + shape_text(needed) +
                      " is needed to fit the other weights");
  }
  const std::uint64_t first = part.part * widths.all_heads();
  const std::uint64_t columns = weight ? n : 1;
  return gathered(source, weight ? Shape{widths.heads * n, n} : Shape{widths.heads * n},
                  [&](std::uint64_t k) -> std::optional<std::uint64_t> {
                    const auto row = unpadded(widths, k / columns);
                    if (!row) return std::nullopt;
                    const std::uint64_t column = k % columns;
                    if (weight && widths.input_first) return column * all + first + *row;
                    return (first + *row) * columns + column;
                  });
}

// W_O.weight [d, H d].
Tensor output(const Tensor& source, const Widths& widths) {
  const std::uint64_t n = widths.model;
  const std::uint64_t wide = widths.heads * n;
  return gathered(source, {n, wide}, [&](std::uint64_t k) -> std::optional<std::uint64_t> {
    const auto column = unpadded(widths, k % wide);
    if (!column) return std::nullopt;
    if (widths.input_first) return *column * n + k / wide;
    return k / wide * widths.all_heads() + *column;
  });
}

// Weights of one matrix a head, as TransformerLens has them, as nn.Linear's: queries, keys and
// values [H, d, w], the output [H, w, d], biases [H, w]. Where the output is flat, [d, H w], the
// others are [H, w, d], as in the first notebooks that took heads apart. Nothing to do for any
// other.
Result<void> lay_flat(Tensor& tensor, const std::string& own, std::size_t heads,
                      bool output_is_flat, const std::string& name, const std::string& where) {
  const bool weight = own.ends_with(".weight");
  const Shape shape = tensor.shape;
  if (own.starts_with("W_G.") || shape.size() != (weight ? 3 : 2)) return {};
  if (shape[0] != heads) {
    return misfit(where, name,
                  shape_text(shape) + " holds " + std::to_string(shape[0]) + " heads, not " +
                      std::to_string(heads) + "; give the number with --num-heads");
  }
  if (!weight) {
    tensor.shape = {shape[0] * shape[1]};
    return {};
  }
  if (output_is_flat) {
    tensor.shape = {shape[0] * shape[1], shape[2]};
    return {};
  }
  const std::uint64_t all = shape[0] * (own == "W_O.weight" ? shape[1] : shape[2]);
  if (own == "W_O.weight") {
    tensor = gathered(tensor, {shape[2], all},
                      [&](std::uint64_t k) { return std::optional(k % all * shape[2] + k / all); });
    return {};
  }
  tensor = gathered(tensor, {all, shape[1]}, [&](std::uint64_t k) {
    const std::uint64_t row = k / shape[1];
    const std::uint64_t head = row / shape[2];
    return std::optional((head * shape[1] + k % shape[1]) * shape[2] + row % shape[2]);
  });
  return {};
}

// A matrix whose name does not end in "weight", such as W_Q, does not come from an nn.Linear. It
// may be [in, out] as well as [out, in]. Only a flat output beside one matrix a head has a layout
// of its own.
Result<void> check_layout_is_known(const Contents& contents, const LayerNames& layer,
                                   const std::string& where) {
  const auto shape_of = [&](const std::string& own) -> const Shape& {
    return contents.tensors.at(layer.tensors.at(own).tensor).shape;
  };
  for (const auto& [own, part] : layer.tensors) {
    const std::string& name = part.tensor;
    if (!own.ends_with(".weight") || name.ends_with("weight")) continue;
    const bool beside_heads = own == "W_O.weight" && shape_of("W_Q.weight").size() == 3;
    if (shape_of(own).size() != 2 || beside_heads) continue;
    return misfit(where, name,
                  "is a matrix " + shape_text(shape_of(own)) +
                      " whose name does not say its layout; if it is [out, in] as nn.Linear's, add "
                      "--map " +
                      name + "=" + name + ".weight, else save its transpose under that name");
  }
  return {};
}

Result<void> add_layer(const Contents& contents, const LayerNames& layer, std::size_t heads,
                       const std::string& prefix, const std::string& where, Contents& into) {
  const auto widths = widths_of(contents, layer, heads, where);
  if (!widths) return tl::unexpected(widths.error());
  for (const auto& [name, part] : layer.tensors) {
    const Tensor& source = contents.tensors.at(part.tensor);
    Tensor& made = into.tensors[prefix + name];
    const bool projects =
        name.starts_with("W_Q.") || name.starts_with("W_K.") || name.starts_with("W_V.");
    if (!projects) {
      made = name == "W_O.weight" ? output(source, *widths) : source;
      continue;
    }
    auto projected = projection(source, part, *widths, name.ends_with(".weight"), where);
    if (!projected) return tl::unexpected(projected.error());
    made = std::move(*projected);
  }
  return {};
}

// W_Q divided by an irrational root, whose scale is then 1.
Result<void> fold_scale(Converted& converted, const std::string& where) {
  std::string& scale = converted.contents.metadata.at("scale");
  const auto square = irrational_square(scale);
  if (!square) return {};
  for (auto& [name, tensor] : converted.contents.tensors) {
    if (name.find("W_Q.") == std::string::npos) continue;
    const auto entries = safetensors::exact_values(tensor, where + ": " + name);
    if (!entries) return tl::unexpected(entries.error());
    std::vector<double> quotients;
    for (const exact::Rational& entry : *entries) {
      const double size = output::nearest_root(entry * entry / *square);
      quotients.push_back(entry < 0 ? -size : size);
    }
    tensor = output::float64_tensor(tensor.shape, quotients);
  }
  converted.notes.push_back(
      scale +
      " is irrational. It is folded into W_Q, rounded to the nearest float64. The converted "
      "model differs from the original by that rounding: the certificate is about the "
      "converted model");
  converted.contents.metadata["folded_scale"] = std::exchange(scale, "1");
  return {};
}

Result<std::size_t> heads_in(const std::map<std::string, std::string>& words,
                             const std::string& where) {
  const std::string& text = words.at("num_heads");
  constexpr std::size_t kMostHeads = 64;
  for (std::size_t heads = 1; heads <= kMostHeads; ++heads) {
    if (text == std::to_string(heads)) return heads;
  }
  return fail("SP1102", where + ": metadata num_heads",
              "\"" + text.substr(0, 40) +
                  "\" is not a whole number from 1 to 64; give the number with --num-heads");
}

}  // namespace

Result<Converted> convert(const Contents& contents, const Conversion& conversion,
                          const std::string& where) {
  auto converted = try_to_convert(contents, conversion, where);
  if (!converted) {
    const auto chosen = renamed(contents, conversion, where);
    converted.error().what += suggestion(converted.error().code, contents,
                                         chosen ? *chosen : contents, conversion, where);
  }
  return converted;
}

Result<Converted> try_to_convert(const Contents& contents, const Conversion& conversion,
                                 const std::string& where) {
  auto chosen = renamed(contents, conversion, where);
  if (!chosen) return tl::unexpected(chosen.error());
  const ModelNames names = find_layers(*chosen);
  if (auto why = why_no_model(*chosen, names, where)) return tl::unexpected(*why);
  auto words = metadata(contents, names, conversion, where);
  if (!words) return tl::unexpected(words.error());
  const auto heads = heads_in(*words, where);
  if (!heads) return tl::unexpected(heads.error());
  for (const LayerNames& layer : names.layers) {
    if (auto known = check_layout_is_known(*chosen, layer, where); !known) {
      return tl::unexpected(known.error());
    }
    const auto& output = chosen->tensors.at(layer.tensors.at("W_O.weight").tensor);
    const bool output_is_flat = output.shape.size() == 2;
    for (const auto& [own, part] : layer.tensors) {
      Tensor& tensor = chosen->tensors.at(part.tensor);
      if (part.part != 0 || own == "sinks") continue;
      auto flat = lay_flat(tensor, own, *heads, output_is_flat, part.tensor, where);
      if (!flat) return tl::unexpected(flat.error());
    }
  }
  Converted converted{{std::move(*words), {}}, {}, names.layers, {}};
  for (std::size_t l = 0; l < names.layers.size(); ++l) {
    const std::string prefix = names.layers.size() == 1 ? "" : "layers." + std::to_string(l) + ".";
    auto added = add_layer(*chosen, names.layers[l], *heads, prefix, where, converted.contents);
    if (!added) return tl::unexpected(added.error());
  }
  if (auto folded = fold_scale(converted, where); !folded) return tl::unexpected(folded.error());
  Overrides reading;  // any length will do
  if (!converted.contents.metadata.contains("seq_len")) reading.length = 3;
  auto model = read_converted(output::serialize(converted.contents), where, reading);
  if (!model) return tl::unexpected(model.error());
  converted.model = std::move(*model);
  if (auto unread = unread_text(converted.model); !unread.empty()) {
    converted.notes.push_back(std::move(unread));
  }
  return converted;
}

}  // namespace sinkproof::model

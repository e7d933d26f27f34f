#include "model/attention_model.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "json/visible.hpp"
#include "model/box_text.hpp"
#include "model/foreign_file.hpp"
#include "model/scale_text.hpp"
#include "safetensors/safetensors.hpp"
#include "text/words.hpp"

namespace sinkproof::model {
namespace {

using exact::fail;
using exact::Result;

// How somebody says it who cannot change the file.
std::string way_to_say(const std::string& key) {
  if (key == "d_model")
    return "write the width of the tensors into the metadata, or leave d_model out";
  const std::string field = key == "seq_len" ? "length" : key;
  std::string option = "--" + field;
  std::replace(option.begin(), option.end(), '_', '-');
  return "give it with " + option + " (in a [checkpoint] table: " + field +
         "), or write it into the file's metadata";
}

// Every key that this program reads or writes: how to read the tensors, and where they come from.
const std::vector<std::string> kReadKeys = {"attention", "d_model", "num_heads", "num_layers",
                                            "residual",  "scale",   "seq_len"};
const std::set<std::string> kOriginKeys = {"batch",
                                           "bias",
                                           "bos_penalty",
                                           "construction",
                                           "converted_from",
                                           "final_batch_linf",
                                           "folded_scale",
                                           "format",
                                           "initial",
                                           "initial_deviation",
                                           "lr",
                                           "seed",
                                           "steps",
                                           "target",
                                           "weight_decay"};

constexpr std::size_t kMaxLength = 1'000'000;

// Reads one setting: the command line's word if it has one, else the file's metadata, else
// `otherwise`.
class Settings {
 public:
  Settings(const std::map<std::string, std::string>& metadata, std::string where)
      : metadata_(metadata), where_(std::move(where)) {}

  Result<std::string> text(const std::string& key, const std::optional<std::string>& given,
                           const std::optional<std::string>& otherwise) {
    const auto found = metadata_.find(key);
    if (given) {
      given_.insert(key);
      if (found != metadata_.end() && found->second != *given) overridden_.push_back(key);
      return *given;
    }
    if (found != metadata_.end()) return found->second;
    if (otherwise) return *otherwise;
    return fail("SP1102", where_ + ": metadata " + key, "is missing; " + way_to_say(key));
  }

  Result<std::size_t> number(const std::string& key, const std::optional<std::size_t>& given,
                             const std::optional<std::size_t>& otherwise) {
    const auto as_text = [](const std::optional<std::size_t>& value) {
      return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
    };
    const auto chosen = text(key, as_text(given), as_text(otherwise));
    if (!chosen) return tl::unexpected(chosen.error());
    std::size_t value = 0;
    const char* end = chosen->data() + chosen->size();
    const auto [stop, error] = std::from_chars(chosen->data(), end, value);
    const bool is_number = error == std::errc() && stop == end && value <= kMaxLength;
    // The checkers compare texts: "01" would be another than 1.
    if (!is_number || std::to_string(value) != *chosen) {
      return fail("SP1102", where_ + ": metadata " + key,
                  "\"" + chosen->substr(0, 40) + "\" is not a whole number up to " +
                      std::to_string(kMaxLength) + "; " + way_to_say(key));
    }
    return value;
  }

  // 1 where nobody says it. Checkers compare the metadata's text with the number in lowest terms.
  Result<exact::Rational> scale(const std::optional<std::string>& given) {
    const auto found = metadata_.find("scale");
    const bool stored = found != metadata_.end();
    if (given) given_.insert("scale");
    if (!given && !stored) return exact::Rational(1);
    auto scale = given ? parse_scale(*given, "--scale")
                       : parse_scale(found->second, where_ + ": metadata scale");
    if (scale && stored && exact::to_string(*scale) != found->second) {
      overridden_.emplace_back("scale");
    }
    return scale;
  }

  // The keys that nothing reads. SP1102 for one that misspells a key which nobody gives: the
  // default in its place would be about another model. To call after all others.
  Result<std::vector<std::string>> unread() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : metadata_) {
      if (std::find(kReadKeys.begin(), kReadKeys.end(), key) != kReadKeys.end()) continue;
      if (kOriginKeys.contains(key)) continue;
      const std::string meant = text::nearest(key, kReadKeys);
      if (!meant.empty() && !metadata_.contains(meant) && !given_.contains(meant)) {
        return fail("SP1102", where_ + ": metadata " + key.substr(0, 80),
                    "is not read here and looks like " + meant + ", which is missing; " +
                        way_to_say(meant));
      }
      keys.push_back(key);
    }
    return keys;
  }

  [[nodiscard]] std::vector<std::string> overridden() const { return overridden_; }

 private:
  const std::map<std::string, std::string>& metadata_;
  std::string where_;
  std::set<std::string> given_;  // keys that the caller says
  std::vector<std::string> overridden_;
};

// Hands out the tensors of a file by name and shape, and knows which ones nobody asked for.
class Tensors {
 public:
  Tensors(const safetensors::Contents& contents, std::string where)
      : contents_(contents), where_(std::move(where)) {}

  [[nodiscard]] bool has(const std::string& name) const { return contents_.tensors.contains(name); }

  Result<std::vector<exact::Rational>> values(const std::string& name,
                                              const std::vector<std::uint64_t>& shape) {
    const auto found = contents_.tensors.find(name);
    const std::string place = where_ + ": " + name;
    if (found == contents_.tensors.end()) {
      return fail("SP1103", place,
                  "is missing; found " + names_in(contents_) +
                      ". To rename a tensor run `sinkproof convert " + where_ +
                      " -o converted.safetensors --map OLD=" + name + "`");
    }
    if (found->second.shape != shape) {
      return fail("SP1104", place,
                  "has shape " + shape_text(found->second.shape) + ", but " + shape_text(shape) +
                      " is needed");
    }
    read_.insert(name);
    return safetensors::exact_values(found->second, place);
  }

  Result<exact::RationalMatrix> matrix(const std::string& name, std::size_t rows,
                                       std::size_t columns) {
    auto entries = values(name, {rows, columns});
    if (!entries) return tl::unexpected(entries.error());
    return exact::RationalMatrix(rows, columns, std::move(*entries));
  }

  // Zeros where the file has none.
  Result<std::vector<exact::Rational>> bias(const std::string& name, std::size_t size) {
    if (!has(name)) return std::vector<exact::Rational>(size);
    return values(name, {size});
  }

  [[nodiscard]] Result<void> require_all_read() const {
    for (const auto& [name, tensor] : contents_.tensors) {
      if (!read_.contains(name)) {
        return fail("SP1106", where_ + ": " + name.substr(0, 80),
                    "does not belong to an attention layer of this kind, and dropping it would "
                    "change the model; save the attention layer alone");
      }
    }
    return {};
  }

 private:
  const safetensors::Contents& contents_;
  std::string where_;
  std::set<std::string> read_;
};

struct Sizes {
  std::size_t d_model;
  std::size_t num_heads;
};

Result<Layer> load_layer(Tensors& tensors, const std::string& prefix, const Sizes& sizes,
                         const certificate::AttentionKind& kind) {
  const std::size_t n = sizes.d_model;
  const std::size_t wide = n * sizes.num_heads;
  Layer layer;
  const auto matrix = [&](const char* name, std::size_t rows, std::size_t columns,
                          exact::RationalMatrix& into) -> Result<void> {
    auto read = tensors.matrix(prefix + name, rows, columns);
    if (!read) return tl::unexpected(read.error());
    into = std::move(*read);
    return {};
  };
  const auto vector = [&](const char* name, std::size_t size, bool optional,
                          std::vector<exact::Rational>& into) -> Result<void> {
    auto read =
        optional ? tensors.bias(prefix + name, size) : tensors.values(prefix + name, {size});
    if (!read) return tl::unexpected(read.error());
    into = std::move(*read);
    return {};
  };
  Result<void> done = matrix("W_Q.weight", wide, n, layer.query);
  if (done) done = matrix("W_K.weight", wide, n, layer.key);
  if (done) done = matrix("W_V.weight", wide, n, layer.value);
  if (done) done = matrix("W_O.weight", n, wide, layer.output);
  if (done) done = vector("W_Q.bias", wide, true, layer.query_bias);
  if (done) done = vector("W_K.bias", wide, true, layer.key_bias);
  if (done) done = vector("W_V.bias", wide, true, layer.value_bias);
  if (done) done = vector("W_O.bias", n, true, layer.output_bias);
  if (done && kind.gated) done = matrix("W_G.weight", sizes.num_heads, n, layer.gate);
  if (done && kind.gated) done = vector("W_G.bias", sizes.num_heads, false, layer.gate_bias);
  if (done && kind.sinks) done = vector("sinks", sizes.num_heads, false, layer.sinks);
  if (!done) return tl::unexpected(done.error());
  return layer;
}

void multiply(Layer& layer, const exact::Rational& scale) {
  for (exact::Rational& bias : layer.query_bias) bias *= scale;
  for (std::size_t i = 0; i < layer.query.rows(); ++i) {
    for (std::size_t j = 0; j < layer.query.columns(); ++j) layer.query(i, j) *= scale;
  }
}

// d_model when the metadata does not say: the input width of the first query matrix.
std::optional<std::size_t> width_from_tensors(const safetensors::Contents& contents) {
  for (const char* name : {"W_Q.weight", "layers.0.W_Q.weight"}) {
    const auto found = contents.tensors.find(name);
    if (found != contents.tensors.end() && found->second.shape.size() == 2) {
      return found->second.shape[1];
    }
  }
  return std::nullopt;
}

std::size_t count_layers(const safetensors::Contents& contents) {
  std::size_t count = 0;
  while (contents.tensors.contains("layers." + std::to_string(count) + ".W_Q.weight")) ++count;
  return count;
}

// `contents` of these bytes.
Result<AttentionModel> build(const safetensors::Contents& contents, std::string_view bytes,
                             const Overrides& overrides, const std::string& where) {
  Settings settings(contents.metadata, where);
  AttentionModel model;
  const auto kind = settings.text("attention", overrides.attention, std::nullopt);
  if (!kind) return tl::unexpected(kind.error());
  const auto attention = parse_attention(*kind, where + ": attention");
  if (!attention) {
    return fail(attention.error().code, attention.error().where,
                attention.error().what + "; " + way_to_say("attention"));
  }
  model.attention = *attention;
  const auto d_model = settings.number("d_model", std::nullopt, width_from_tensors(contents));
  if (!d_model) return tl::unexpected(d_model.error());
  model.d_model = *d_model;
  const auto heads = settings.number("num_heads", overrides.num_heads, 1);
  if (!heads) return tl::unexpected(heads.error());
  model.num_heads = *heads;
  const auto length = settings.number("seq_len", overrides.length, std::nullopt);
  if (!length) return tl::unexpected(length.error());
  model.length = *length;
  std::optional<std::string> given;
  if (overrides.residual) given = *overrides.residual ? "true" : "false";
  const auto residual = settings.text("residual", given, "false");
  if (!residual) return tl::unexpected(residual.error());
  if (*residual != "true" && *residual != "false") {
    return fail("SP1102", where + ": metadata residual",
                "must be true or false; " + way_to_say("residual"));
  }
  model.residual = *residual == "true";
  auto scale = settings.scale(overrides.scale);
  if (!scale) return tl::unexpected(scale.error());
  model.scale = *std::move(scale);
  if (model.d_model < 4 || model.length < 3 || model.num_heads < 1) {
    return fail("SP1105", where,
                "the trigger task needs d_model >= 4, length >= 3 and at least one head, but this "
                "file has d_model " +
                    std::to_string(model.d_model) + ", length " + std::to_string(model.length) +
                    ", heads " + std::to_string(model.num_heads));
  }
  if (overrides.box) {
    auto box = parse_box(*overrides.box, model.d_model - 3, "noise box");
    if (!box) return tl::unexpected(box.error());
    model.box = *std::move(box);
  }
  const std::size_t stacked = count_layers(contents);
  const std::size_t held = std::max<std::size_t>(stacked, 1);
  const auto layers = settings.number("num_layers", overrides.num_layers, held);
  if (!layers) return tl::unexpected(layers.error());
  if (*layers != held) {
    return fail("SP1107", where + ": metadata num_layers",
                "is " + std::to_string(*layers) + ", but the file holds the tensors of " +
                    std::to_string(held) + "; " + way_to_say("num_layers"));
  }
  Tensors tensors(contents, where);
  for (std::size_t l = 0; l < held; ++l) {
    const std::string prefix = stacked == 0 ? "" : "layers." + std::to_string(l) + ".";
    auto layer = load_layer(tensors, prefix, {model.d_model, model.num_heads},
                            certificate::kind_of(model.attention));
    if (!layer) return tl::unexpected(layer.error());
    if (model.scale != 1) multiply(*layer, model.scale);
    model.layers.push_back(std::move(*layer));
  }
  const auto complete = tensors.require_all_read();
  if (!complete) return tl::unexpected(complete.error());
  auto unread = settings.unread();
  if (!unread) return tl::unexpected(unread.error());
  model.unread = *std::move(unread);
  model.overrides = settings.overridden();
  std::erase(model.overrides, "seq_len");  // the length is the certificate's own, not an override
  std::sort(model.overrides.begin(), model.overrides.end());
  model.sha256 = certificate::sha256_hex(bytes);
  return model;
}

}  // namespace

std::string unread_text(const AttentionModel& model) {
  return model.unread.empty() ? "" : "metadata keys that are not read: " + listed(model.unread);
}

std::string attention_names() {
  std::string names;
  for (const Attention attention : kAttentions) {
    names += (names.empty() ? "" : ", ") + to_string(attention);
  }
  return names;
}

Result<Attention> parse_attention(const std::string& name, const std::string& where) {
  if (const auto* kind = certificate::find_attention(name)) return kind->attention;
  return fail(
      "SP1101", where,
      "unknown attention kind \"" + name.substr(0, 40) + "\"; the kinds are " + attention_names());
}

Result<AttentionModel> read(std::string_view bytes, const std::string& where,
                            const Overrides& overrides) {
  const auto contents = read_contents(bytes, where);
  if (!contents) return tl::unexpected(contents.error());
  if (auto foreign = foreign_names(*contents, overrides, where)) return tl::unexpected(*foreign);
  auto model = build(*contents, bytes, overrides, where);
  if (model) return model;
  const auto lines =
      suggestion(model.error().code, *contents, *contents, {overrides, {}, ""}, where);
  if (!lines.empty()) {
    model.error().what = json::visible(model.error().what) + lines;
    model.error().has_lines = true;
  }
  return model;
}

Result<AttentionModel> read_converted(std::string_view bytes, const std::string& where,
                                      const Overrides& overrides) {
  const auto contents = safetensors::parse(bytes, where);
  if (!contents) return tl::unexpected(contents.error());
  return build(*contents, bytes, overrides, where);
}

Result<AttentionModel> load(const std::filesystem::path& path, const Overrides& overrides) {
  const auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return read(*bytes, path.string(), overrides);
}

}  // namespace sinkproof::model

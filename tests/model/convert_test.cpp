// Weights as people have them: scales of logits, whose tensor is whose, and that a conversion moves
// numbers and changes none.
#include "model/convert.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attention/layer.hpp"
#include "model/foreign_file.hpp"
#include "model/forward_model.hpp"
#include "model/reading.hpp"
#include "model/scale_text.hpp"
#include "output/safetensors.hpp"

using namespace sinkproof;
using exact::make_rational;
using exact::Rational;
using model::ModelNames;
using safetensors::Contents;

namespace {

std::string scale_or_code(const std::string& text) {
  const auto scale = model::parse_scale(text, "test");
  return scale ? exact::to_string(*scale) : scale.error().code;
}

// 1, 2, 3, ... from `first` on.
safetensors::Tensor counting(std::vector<std::uint64_t> shape, float first) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  std::vector<float> values;
  for (std::uint64_t k = 0; k < count; ++k) values.push_back(first + static_cast<float>(k));
  return output::float32_tensor(std::move(shape), values);
}

Contents named(const std::vector<std::string>& names) {
  Contents contents;
  for (const std::string& name : names) contents.tensors[name] = counting({4, 4}, 1);
  return contents;
}

std::vector<std::string> prefixes(const ModelNames& names) {
  std::vector<std::string> all;
  for (const model::LayerNames& layer : names.layers) all.push_back(layer.prefix);
  return all;
}

Contents own_layer() { return named({"W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight"}); }

}  // namespace

TEST_CASE("a scale is a positive rational, or one over a rational root") {
  CHECK(scale_or_code("1/4") == "1/4");
  CHECK(scale_or_code("0.125") == "1/8");
  CHECK(scale_or_code("1/sqrt(64)") == "1/8");
  CHECK(scale_or_code("1/sqrt(9/4)") == "2/3");
  CHECK(scale_or_code("2") == "2");
  for (const char* wrong : {"", "0", "-1", "1/sqrt(48)", "1/sqrt(0)", "1/sqrt()", "1/sqrt(4",
                            "sqrt(4)", "4/16", "nan", "1/sqrt(-1)"}) {
    CAPTURE(wrong);
    CHECK(scale_or_code(wrong) == "SP1109");
  }
  CHECK(scale_or_code("1/" + std::string(98, '7')) != "SP1109");
  CHECK(scale_or_code("1/" + std::string(99, '7')) == "SP1109");
  const auto irrational = model::parse_scale("1/sqrt(48)", "test");
  CHECK(irrational.error().what.find("--scale '1/sqrt(48)'") != std::string::npos);
  CHECK(model::irrational_square("1/sqrt(48)") == Rational(48));
  CHECK(model::irrational_square("1/sqrt(9/4)") == std::nullopt);
  CHECK(model::irrational_square("1/4") == std::nullopt);
}

TEST_CASE("layers are found by their prefixes and put in the order of their numbers") {
  std::vector<std::string> names;
  for (const char* l : {"2", "10", "1", "0", "9", "8", "7", "6", "5", "4", "3"}) {
    for (const char* w : {".q.weight", ".k.weight", ".v.weight", ".o.weight", ".q.bias"}) {
      names.push_back("net.blocks." + std::string(l) + w);
    }
  }
  const ModelNames found = model::find_layers(named(names));
  CHECK(found.numbered);
  CHECK(found.others.empty());
  REQUIRE(found.layers.size() == 11);
  CHECK(found.layers[10].prefix == "net.blocks.10.");
  CHECK(found.layers[2].tensors.at("W_Q.bias").tensor == "net.blocks.2.q.bias");
}

TEST_CASE("layers that no one number orders are not put in an order") {
  for (const auto& two : {std::pair("a.0.", "a.2."),
                          {"a.0.", "b.1."},
                          {"encoder.", "decoder."},
                          {"a.0.", "a.1.x."},
                          {"a.0.", "a.01."}}) {
    std::vector<std::string> names;
    for (const char* prefix : {two.first, two.second}) {
      for (const char* w : {"in_proj_weight", "out_proj.weight"}) {
        names.push_back(std::string(prefix) + w);
      }
    }
    const ModelNames found = model::find_layers(named(names));
    CAPTURE(two.first, two.second);
    CHECK(found.layers.size() == 2);
    CHECK_FALSE(found.numbered);
  }
}

TEST_CASE("what belongs to no layer, or a second of a kind, is left over") {
  const ModelNames found =
      model::find_layers(named({"attn.qkv.weight", "attn.proj.weight", "attn.out.weight",
                                "mlp.proj.weight", "norm.weight", "attn.myq.weight", "attn.mask"}));
  CHECK(prefixes(found) == std::vector<std::string>{"attn."});
  // "attn.out.weight" comes first in name order, so that of two outputs "attn.proj.weight" is over.
  CHECK(found.others == std::vector<std::string>{"attn.mask", "attn.myq.weight", "attn.proj.weight",
                                                 "mlp.proj.weight", "norm.weight"});
  CHECK(model::find_layers(named({"attn.qkv.weight"})).layers.empty());
}

TEST_CASE("fused projections are split, and heads padded, where they belong") {
  Contents contents;
  contents.tensors["in_proj_weight"] = counting({12, 4}, 1);
  contents.tensors["in_proj_bias"] = counting({12}, 101);
  contents.tensors["out_proj.weight"] = counting({4, 4}, 201);
  model::Conversion conversion;
  conversion.says.attention = "softmax";
  conversion.says.num_heads = 2;
  conversion.says.scale = "1/2";
  const auto made = model::convert(contents, conversion, "test");
  REQUIRE(made.has_value());
  const model::Layer& layer = made->model.layers.front();
  // Row h w + r of the second part, of heads of width w = 2, is row h d + r of W_K [8, 4].
  CHECK(layer.key(0, 0) == 17);
  CHECK(layer.key(1, 3) == 24);
  CHECK(layer.key(2, 0) == 0);
  CHECK(layer.key(4, 1) == 26);
  CHECK(layer.key_bias[5] == 108);
  CHECK(layer.key_bias[7] == 0);
  CHECK(layer.output(3, 1) == 214);
  CHECK(layer.output(3, 3) == 0);
  CHECK(layer.output(3, 5) == 216);
  CHECK(layer.query(0, 2) == make_rational(3, 2));  // times the scale
  CHECK(layer.query_bias[4] == make_rational(103, 2));
}

TEST_CASE("a scale is folded into queries, and given back to the checker's pass") {
  Contents contents = own_layer();
  contents.metadata = {{"attention", "softmax"}, {"seq_len", "4"}, {"scale", "1/3"}};
  const auto scaled = model::read(output::serialize(contents), "test", {});
  contents.metadata.erase("scale");
  const auto plain = model::read(output::serialize(contents), "test", {});
  REQUIRE(scaled.has_value());
  REQUIRE(plain.has_value());
  CHECK(model::reading_of(*scaled).scale == make_rational(1, 3));
  CHECK(model::reading_of(*plain).scale == 1);
  const auto logit = [](const model::AttentionModel& m) {
    return check::one_layer(model::forward_model(m), m.length, m.box).heads[0].logit(1, 2);
  };
  CHECK(logit(*scaled) * 3 == logit(*plain));
  const forward::Model pass = model::forward_model(*scaled);
  CHECK(pass.blocks[0].scale == make_rational(1, 3));
  CHECK(pass.blocks[0].query.weight(1, 2) == 7);
  CHECK(model::forward_model(*plain).blocks[0].query.weight(1, 2) == 7);
}

TEST_CASE("a file of foreign names is named as such, our own is not") {
  CHECK_FALSE(model::foreign_names(own_layer(), {}, "m.safetensors").has_value());
  CHECK_FALSE(model::foreign_names(named({"layers.0.W_Q.weight"}), {}, "m").has_value());
  const auto told = model::foreign_names(
      named({"q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"}), {},
      "it's mine.safetensors");
  CHECK(
      model::foreign_names(named({"W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight"}), {}, "m")
          .has_value());
  REQUIRE(told.has_value());
  CHECK(told->code == "SP1111");
  CHECK(told->what.find("sinkproof convert 'it'\\''s mine.safetensors' -o "
                        "'it'\\''s mine-converted.safetensors' --attention softmax --num-heads 1 "
                        "--scale 1/2\n") != std::string::npos);
}

TEST_CASE("matrices of each head alone are converted as the same ones stacked") {
  constexpr std::size_t kHeads = 2;
  constexpr std::size_t kModel = 4;
  constexpr std::size_t kHead = 2;
  constexpr std::size_t kAll = kHeads * kHead;
  Contents apart;
  Contents stacked;
  float first = 1;
  for (const char* which : {"Q", "K", "V", "O"}) {
    const bool output = which == std::string("O");
    std::vector<float> by_head;
    std::vector<float> flat(kAll * kModel);
    for (std::size_t h = 0; h < kHeads; ++h) {
      for (std::size_t a = 0; a < (output ? kHead : kModel); ++a) {
        for (std::size_t b = 0; b < (output ? kModel : kHead); ++b, ++first) {
          by_head.push_back(first);
          flat[output ? b * kAll + h * kHead + a : (h * kHead + b) * kModel + a] = first;
        }
      }
    }
    const std::string name = std::string("W_") + which;
    const std::string bias = std::string("b_") + which;
    apart.tensors["blocks.0.attn." + name] =
        output::float32_tensor({kHeads, output ? kHead : kModel, output ? kModel : kHead}, by_head);
    stacked.tensors[name + ".weight"] =
        output::float32_tensor({output ? kModel : kAll, output ? kAll : kModel}, flat);
    const std::vector<std::uint64_t> shape =
        output ? std::vector<std::uint64_t>{kModel} : std::vector<std::uint64_t>{kHeads, kHead};
    apart.tensors["blocks.0.attn." + bias] = counting(shape, first);
    stacked.tensors[name + ".bias"] = counting({kAll}, first);
  }
  model::Conversion conversion;
  conversion.says.attention = "softmax";
  conversion.says.num_heads = kHeads;
  conversion.says.scale = "1";
  const auto one = model::convert(apart, conversion, "apart");
  const auto other = model::convert(stacked, conversion, "stacked");
  REQUIRE(one.has_value());
  REQUIRE(other.has_value());
  CHECK(output::serialize(one->contents) == output::serialize(other->contents));
  const auto error = model::convert(apart, {}, "m.safetensors").error();
  CHECK(error.code == "SP1113");
  CHECK(error.what.find(" --num-heads 2 --scale '1/sqrt(2)'\n") != std::string::npos);
  conversion.says.num_heads = 4;
  const auto refused = model::convert(apart, conversion, "apart");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.find("--num-heads") != std::string::npos);
}

TEST_CASE("heads apart, [H, w, d] beside a flat output, are nn.Linear's rows") {
  Contents apart;
  Contents flat;
  for (const char* part : {"W_Q", "W_K", "W_V"}) {
    apart.tensors[part] = counting({2, 4, 8}, 1);
    flat.tensors[std::string(part) + ".weight"] = counting({8, 8}, 1);
  }
  apart.tensors["W_O"] = flat.tensors["W_O.weight"] = counting({8, 8}, 5);
  model::Conversion conversion;
  conversion.says.attention = "softmax";
  conversion.says.num_heads = 2;
  conversion.says.scale = "1/2";
  const auto one = model::convert(apart, conversion, "apart");
  const auto other = model::convert(flat, conversion, "flat");
  REQUIRE(one.has_value());
  REQUIRE(other.has_value());
  CHECK(output::serialize(one->contents) == output::serialize(other->contents));
  apart.tensors["W_K"] = counting({2, 8, 4}, 1);
  CHECK(model::convert(apart, conversion, "apart").error().code == "SP1104");
}

TEST_CASE("a matrix whose name does not say that it is nn.Linear's is refused") {
  Contents bare;
  Contents linear;
  for (const char* part : {"W_Q", "W_K", "W_V", "W_O"}) {
    bare.tensors[part] = counting({8, 8}, 1);
    linear.tensors[std::string(part) + ".weight"] = counting({8, 8}, 1);
  }
  model::Conversion conversion;
  conversion.says.attention = "softmax";
  conversion.says.num_heads = 2;
  conversion.says.scale = "1";
  REQUIRE(model::convert(linear, conversion, "linear").has_value());
  for (const char* part : {"W_K", "W_O", "W_Q", "W_V"}) {  // the first in this order is named
    const auto refused = model::convert(bare, conversion, "bare");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "SP1104");
    CHECK(refused.error().where == std::string("bare: ") + part);
    const std::string pair = std::string(part) + "=" + part + ".weight";
    CHECK(refused.error().what.find("[8, 8] whose name does not say its layout") !=
          std::string::npos);
    CHECK(refused.error().what.find("--map " + pair) != std::string::npos);
    conversion.map.push_back(pair);
  }
  CHECK(output::serialize(model::convert(bare, conversion, "bare")->contents) ==
        output::serialize(model::convert(linear, {conversion.says, {}, ""}, "linear")->contents));
}

TEST_CASE("files of other formats are told from what is merely broken, with the lines for each") {
  using namespace std::string_literals;
  const auto said = [](const std::string& bytes) {
    const auto contents = model::read_contents(bytes, "it\"s.bin");
    if (contents) return "read"s;
    return contents.error().code + " " + contents.error().what;
  };
  const std::string zip = "PK\x03\x04" + std::string(26, '\0');
  const std::pair<std::string, std::string> all[] = {
      {zip + "W_Q.weight.npy", "a NumPy .npz archive"},
      {zip + "model/data.pkl", "a torch.save file"},
      {"\x80\x02}q", "a torch.save file"},
      {"\x80\x04\x95", "a Python pickle"},
      {"\x93NUMPY\x01", "a NumPy .npy file"},
      {"GGUF\x03", "a GGUF file"},
      {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:", "a Git LFS pointer"}};
  for (const auto& [bytes, name] : all) {
    CAPTURE(name);
    const std::string text = said(bytes);
    CHECK(text.starts_with("SP1110 this is " + name));
    CHECK(text.find("\"it\\\"s.bin\"") != std::string::npos);
    CHECK(text.find('%') == std::string::npos);
  }
  for (const char* broken : {"PK", "\x80", "GGU", "\x93NUMP", ""}) {
    CHECK(said(broken).starts_with("SP0401"));
  }
  CHECK(said(output::serialize(own_layer())) == "read");
}

namespace {

// Layers of one head of width 8 in d_model 8 under these prefixes, by TransformerLens's names.
Contents lens(const std::vector<std::string>& prefixes) {
  Contents contents;
  for (const std::string& prefix : prefixes) {
    for (const char* part : {"W_Q", "W_K", "W_V", "W_O"}) {
      contents.tensors[prefix + part] = counting({1, 8, 8}, 1);
    }
  }
  return contents;
}

safetensors::Tensor mask(std::size_t n, std::size_t row, std::size_t column, char there) {
  safetensors::Tensor tensor{
      safetensors::Dtype::kOther, "BOOL", {1, 1, n, n}, std::string(n * n, 0)};
  for (std::size_t k = 0; k < n * n; ++k) tensor.bytes[k] = k % n <= k / n ? 1 : 0;
  tensor.bytes[row * n + column] = there;
  return tensor;
}

model::Conversion told(const char* scale) {
  model::Conversion conversion;
  conversion.says.attention = "softmax";
  conversion.says.num_heads = 1;
  conversion.says.scale = scale;
  return conversion;
}

}  // namespace

TEST_CASE(
    "an irrational scale is folded into W_Q, each entry rounded to the nearest F64, and noted") {
  Contents contents = lens({"blocks.0.attn."});
  contents.tensors["blocks.0.attn.b_Q"] = counting({1, 8}, -4);
  const auto folded = model::convert(contents, told("1/sqrt(8)"), "m");
  const auto plain = model::convert(contents, told("1"), "m");
  REQUIRE(folded.has_value());
  REQUIRE(plain.has_value());
  CHECK(folded->contents.metadata.at("scale") == "1");
  CHECK(folded->contents.metadata.at("folded_scale") == "1/sqrt(8)");
  CHECK(folded->notes.size() == 1);
  CHECK(plain->notes.empty());
  CHECK_FALSE(plain->contents.metadata.contains("folded_scale"));
  for (const char* name : {"W_Q.weight", "W_Q.bias"}) {
    const auto entries = safetensors::exact_values(folded->contents.tensors.at(name), name);
    const auto before = safetensors::exact_values(plain->contents.tensors.at(name), name);
    REQUIRE(entries.has_value());
    CHECK(folded->contents.tensors.at(name).dtype_name == "F64");
    for (std::size_t k = 0; k < entries->size(); ++k) {
      const Rational& entry = (*entries)[k];
      CHECK((entry < 0) == ((*before)[k] < 0));
      const Rational error =
          entry * entry * 8 / ((*before)[k] * (*before)[k] + ((*before)[k] == 0 ? 1 : 0)) - 1;
      if ((*before)[k] != 0) CHECK(abs(error) < exact::power_of_two(-51));
    }
  }
  CHECK(folded->contents.tensors.at("W_K.weight").bytes ==
        plain->contents.tensors.at("W_K.weight").bytes);
  contents.metadata["folded_scale"] = "1/sqrt(8)";  // of an earlier conversion: not folded again
  const auto again = model::convert(contents, told("1"), "m");
  REQUIRE(again.has_value());
  CHECK(again->contents.tensors.at("W_Q.weight").bytes ==
        plain->contents.tensors.at("W_Q.weight").bytes);
}

TEST_CASE("buffers that say that queries see no later key are left out, and no others") {
  const auto code = [](const std::string& name, const safetensors::Tensor& tensor) {
    Contents contents = lens({"blocks.0.attn."});
    contents.tensors["blocks.0.attn." + name] = tensor;
    const auto made = model::convert(contents, told("1"), "m");
    return made ? std::string("converted") : made.error().code;
  };
  const auto one = [](const char* dtype, const std::string& bytes) {
    return safetensors::Tensor{safetensors::Dtype::kOther, dtype, {}, bytes};
  };
  using namespace std::string_literals;
  CHECK(code("mask", mask(5, 0, 0, 1)) == "converted");
  CHECK(code("mask", mask(5, 0, 1, 1)) == "SP1112");  // sees a later key
  CHECK(code("mask", mask(5, 3, 1, 0)) == "SP1112");  // does not see an earlier one
  CHECK(code("sieve", mask(5, 0, 0, 1)) == "SP1112");
  CHECK(code("IGNORE", one("F32", "\0\0\x80\xff"s)) == "converted");    // minus infinity
  CHECK(code("IGNORE", one("F32", "\0\x50\xc3\xc7"s)) == "converted");  // -100000
  CHECK(code("IGNORE", one("F32", "\0\0\xc0\xff"s)) == "SP1112");       // NaN
  CHECK(code("IGNORE", one("F32", "\0\0\0\0"s)) == "SP1112");
  CHECK(code("IGNORE", one("F16", "\0\xfc"s)) == "converted");
  CHECK(code("IGNORE", one("I32", "\0\0\x80\xff"s)) == "SP1112");
  CHECK(code("masked_bias", one("BF16", "\x1c\xc6"s)) == "converted");  // -9984
}

TEST_CASE(
    "a layer with a tensor of its own that no layer has: refused once, with a line that converts") {
  for (const auto& prefixes : {std::vector<std::string>{"blocks.0.attn."},
                               std::vector<std::string>{"blocks.0.attn.", "blocks.1.attn."},
                               std::vector<std::string>{""}}) {
    Contents contents = lens(prefixes);
    contents.tensors[prefixes.front() + "rotary_emb.inv_freq"] = counting({4}, 1);
    for (const bool says : {false, true}) {
      const auto made = model::convert(contents, says ? told("1") : model::Conversion{}, "m");
      REQUIRE_FALSE(made.has_value());
      CHECK(made.error().code == "SP1112");
      CHECK(made.error().what.find("rotary_emb.inv_freq=") != std::string::npos);
    }
    model::Conversion only = told("1");
    only.only = prefixes.front();
    CHECK_FALSE(model::convert(contents, only, "m").has_value());
    only.map = {prefixes.front() + "rotary_emb.inv_freq="};
    CHECK(model::convert(contents, only, "m").has_value());
  }
}

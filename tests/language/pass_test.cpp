// The whole pass and its readouts at two precisions: what is found to 800 bits lies within what is
// found to fewer, of every architecture, kind of attention and intervention.
#include "language/pass.hpp"

#include <catch2/catch.hpp>

#include "certificate/strict.hpp"
#include "language/readouts.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"
#include "tiny_model.hpp"

using namespace sinkproof;
using certificate::Intervention;
using certificate::LanguageQuestion;
using certificate::LanguageReadout;
using certificate::TokenIds;
using exact::Integer;
using forward::Range;
using json::Value;

namespace {

const std::vector<TokenIds> kSequences = {{3, 0, 7, 7, 10}, {1}, {2, 9, 4}};

// Every readout of every sequence, at its first and last position.
std::vector<LanguageQuestion> everything(bool encoder) {
  std::vector<LanguageQuestion> questions;
  Intervention evicted;
  evicted.eviction = {1, 2, false};
  Intervention renumbered;
  renumbered.eviction = {2, 1, true};
  Intervention ablated;
  ablated.ablated = {{1, 0}};
  Intervention both;
  both.ablated = {{0, 1}, {1, 0}};
  for (const auto& row : certificate::kLanguageReadouts) {
    for (std::size_t s = 0; s < (row.is_share ? 1 : kSequences.size()); ++s) {
      LanguageQuestion question;
      question.readout = row.readout;
      question.sequence = s;
      question.epsilon = exact::make_rational(1, 4);
      // The values' ratio is not defined for one token alone but as 0.
      for (const std::size_t k : {std::size_t{1}, row.is_share ? 1 : kSequences[s].size()}) {
        question.position = k;
        if (row.readout != LanguageReadout::kMoved) questions.push_back(question);
      }
      if (row.readout != LanguageReadout::kMoved || encoder) continue;
      for (const Intervention& intervention : {evicted, renumbered, ablated, both}) {
        question.intervention = intervention;
        questions.push_back(question);
      }
    }
  }
  return questions;
}

// Enclosures are narrower than 2^narrow units.
void check_model(TinyModel tiny, unsigned narrow = 66) {
  INFO(tiny.config.dump());
  const auto model = tiny.read();
  INFO((model ? "" : model.error().code + " " + model.error().what));
  REQUIRE(model.has_value());
  const auto questions = everything(model->config.architecture->bidirectional);
  for (const LanguageQuestion& question : questions) {
    REQUIRE(language::check_question(question, *model, kSequences).has_value());
  }
  const auto at = [&](unsigned p) {
    auto numbers = language::readouts(*model, kSequences, questions, p, language::in_turn);
    REQUIRE(numbers.has_value());
    return *numbers;
  };
  constexpr unsigned fine = 800;
  const auto found = at(fine);
  for (const unsigned p : {96U, 250U}) {
    const auto coarse = at(p);
    REQUIRE(coarse.size() == questions.size());
    for (std::size_t q = 0; q < questions.size(); ++q) {
      INFO(questions[q].row().name << " of sequence " << questions[q].sequence << " at " << p);
      const std::size_t length = kSequences[questions[q].sequence].size();
      REQUIRE(coarse[q].size() == language::numbers_of(questions[q], *model, length));
      for (std::size_t i = 0; i < coarse[q].size(); ++i) {
        // The finer enclosure is far narrower than a unit of the coarser: it tells on which side.
        const Range& in = found[q][i];
        CHECK(coarse[q][i].lower << (fine - p) <= in.upper);
        CHECK(in.lower <= coarse[q][i].upper << (fine - p));
        CHECK(coarse[q][i].upper - coarse[q][i].lower < Integer(1) << narrow);
        CHECK(in.upper - in.lower < Integer(1) << (fine - 260));
      }
    }
  }
}

void check_model(const std::string& model_type, const Value& keys) {
  check_model(tiny_model(model_type, keys, 1));
}

}  // namespace

TEST_CASE("Two precisions agree on every readout of every architecture") {
  for (const auto& table : language::architectures()) {
    check_model(std::string(table.model_type), Value::object());
  }
}

TEST_CASE("Two precisions agree on every kind of attention", "[figures]") {
  for (const char* kind : {"sigmoid-normalised", "elu1-normalised", "softmax-null", "softmax-sink",
                           "softmax-gated", "sigmoid", "elu1", "linear"}) {
    check_model("gpt2", {{"sinkproof_attention", kind}});
  }
}

TEST_CASE("Two precisions agree on keys of several heads, windows and scaled rotary positions",
          "[figures]") {
  check_model("llama", {{"num_key_value_heads", 1}, {"head_dim", 6}});
  check_model("sinkproof", {{"intermediate_size", 5},
                            {"mlp_bias", true},
                            {"attention_bias", true},
                            {"unembed_bias", true}});
  check_model("mistral", {{"sliding_window", 2}, {"hidden_act", "relu"}});
  check_model("qwen3",
              {{"use_sliding_window", true}, {"sliding_window", 2}, {"max_window_layers", 1}});
  check_model("gpt_neox", {{"rotary_pct", 1}, {"use_parallel_residual", false}});
  const Value linear = {{"type", "linear"}, {"factor", 3}};
  const Value llama3 = {{"rope_type", "llama3"},
                        {"factor", 8},
                        {"low_freq_factor", 1},
                        {"high_freq_factor", 4},
                        {"original_max_position_embeddings", 16}};
  const Value yarn = {
      {"rope_type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 64}};
  for (const Value& scaling : {linear, llama3, yarn}) {
    check_model("llama",
                {{"head_dim", 8}, {"max_position_embeddings", 256}, {"rope_scaling", scaling}});
  }
}

TEST_CASE("Two precisions agree on rows of weights finer than the coarser one", "[figures]") {
  for (const char* model_type : {"gpt2", "llama"}) {
    TinyModel tiny = tiny_model(model_type, Value::object(), 1);
    for (auto& [name, tensor] : tiny.kept) {
      std::vector<double> values;
      const auto weights = safetensors::exact_values(tensor, name);
      REQUIRE(weights.has_value());
      for (const auto& value : *weights) {
        values.push_back(rounded::to_double_estimate(value) * 0x1p-45 / 3);
      }
      if (tensor.shape[0] == kTinyTokens) tensor = output::float64_tensor(tensor.shape, values);
    }
    check_model(std::move(tiny), 100);  // cosines of rows that are nearly nothing
  }
}

TEST_CASE("At too low a precision, or with rows that leave its range, there is nothing") {
  TinyModel tiny = tiny_model("llama", Value::object(), 1);
  std::vector<float> huge(kTinyWidth * kTinyTokens, 3e38F);
  tiny.kept["model.embed_tokens.weight"] = output::float32_tensor({kTinyTokens, kTinyWidth}, huge);
  const auto model = tiny.read();
  REQUIRE(model.has_value());
  const auto passed = [&](unsigned p) {
    return language::pass(*model, {1, 2}, {}, p, {}, language::in_turn).has_value();
  };
  CHECK_FALSE(passed(64));
  CHECK(passed(400));
}

TEST_CASE("What does not fit the model is refused before anything is evaluated") {
  TinyModel tiny = tiny_model("gpt2", Value::object(), 1);
  const auto model = tiny.read();
  REQUIRE(model.has_value());
  const auto code = [&](const TokenIds& tokens, const Intervention& intervention) {
    const auto fits = language::check_request(*model, tokens, intervention);
    return fits ? "" : fits.error().code;
  };
  const auto evicted = [](std::size_t first, std::size_t window) {
    Intervention intervention;
    intervention.eviction = {first, window, false};
    return intervention;
  };
  const auto ablated = [](std::size_t layer, std::size_t head) {
    Intervention intervention;
    intervention.ablated = {{0, 0}};
    if (layer + head > 0) intervention.ablated.emplace_back(layer, head);
    return intervention;
  };
  CHECK(code({0, 10}, {}).empty());
  CHECK(code({}, {}) == "SP2006");
  CHECK(code({11}, {}) == "SP2006");
  CHECK(code(TokenIds(kTinyPositions), {}).empty());
  CHECK(code(TokenIds(kTinyPositions + 1), {}) == "SP2006");
  CHECK(code({0}, evicted(0, 1)).empty());
  CHECK(code({0}, evicted(0, 0)) == "SP2006");
  CHECK(code({0}, ablated(1, 1)).empty());
  CHECK(code({0}, ablated(2, 0)) == "SP2006");
  CHECK(code({0}, ablated(0, 2)) == "SP2006");
  TinyModel encoder = tiny_model("bert", Value::object(), 1);
  const auto bert = encoder.read();
  REQUIRE(bert.has_value());
  CHECK_FALSE(language::check_request(*bert, {0}, ablated(0, 0)).has_value());
  CHECK_FALSE(language::check_request(*bert, {0}, evicted(0, 1)).has_value());
  LanguageQuestion question;
  question.position = 4;
  CHECK(language::check_question(question, *model, {{0, 0, 0, 0}, {0}}).has_value());
  question.sequence = 1;
  CHECK_FALSE(language::check_question(question, *model, {{0, 0, 0, 0}, {0}}).has_value());
  question.readout = LanguageReadout::kSinkShare;  // of all sequences
  question.sequence = 0;
  CHECK_FALSE(language::check_question(question, *model, {{0, 0, 0, 0}, {0}}).has_value());
}

TEST_CASE("A pass that would hold too much is refused, and the words are those of the page") {
  TinyModel tiny = tiny_model("llama", Value::object(), 1);
  const auto model = tiny.read();
  REQUIRE(model.has_value());
  CHECK(language::pass_words(*model, 3, 64, false) == 3 * 5 * (10 * 8 + 2 * 3));
  CHECK(language::pass_words(*model, 3, 2048, true) == 3 * 36 * (10 * 8 + 2 * 3 + 3 * 8));
  language::Model as_if = *model;
  as_if.config.width = std::size_t{1} << 27U;
  LanguageQuestion question;
  try {
    language::readouts(as_if, {{0, 1}}, {question}, 64, language::in_turn);
    FAIL("begun");
  } catch (const certificate::Rejected& rejected) {
    CHECK(rejected.error.code == "SP2006");
  }
}

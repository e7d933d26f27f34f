#include "language_audits.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "certificate/sha256.hpp"
#include "output/replace.hpp"
#include "write/write.hpp"

namespace sinkproof::report::test {
namespace {

constexpr const char* kConfig = R"({"model_type": "llama", "hidden_size": 16,
"num_attention_heads": 4, "num_hidden_layers": 2, "num_key_value_heads": 2, "head_dim": 4})";

}  // namespace

certificate::Language language_model(const std::filesystem::path& config) {
  REQUIRE(output::replace(config, kConfig));
  certificate::Language language;
  language.claim_sha256 = std::string(64, 'a');
  language.architecture = "llama";
  language.files = {{"config.json", certificate::sha256_hex(kConfig)},
                    {"model.safetensors", std::string(64, 'b')}};
  language.precision = 128;
  return language;
}

certificate::LanguageStatement stated(certificate::LanguageQuestion question,
                                      const std::vector<exact::Rational>& numbers,
                                      const exact::Rational& width) {
  certificate::LanguageStatement statement{std::move(question), numbers, numbers};
  for (exact::Rational& upper : statement.upper) upper += width;
  return statement;
}

certificate::LanguageStatement stated(certificate::LanguageReadout readout, std::size_t s,
                                      std::size_t count, const exact::Rational& start,
                                      const exact::Rational& step) {
  std::vector<exact::Rational> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(start + step * i);
  certificate::LanguageQuestion question;
  question.readout = readout;
  question.sequence = s;
  return stated(std::move(question), numbers, exact::make_rational(1, 1000000));
}

Input input_of(const certificate::Language& language, const std::filesystem::path& certificate,
               const std::filesystem::path& config) {
  Outcome outcome;
  outcome.file = certificate.string();
  outcome.claim = "language";
  outcome.verdict = "proved";
  outcome.evidence = "exact";
  outcome.exit_code = 0;
  return {certificate, write::written(language), outcome, config};
}

}  // namespace sinkproof::report::test

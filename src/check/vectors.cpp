#include "check/vectors.hpp"

#include <optional>

#include "certificate/fields.hpp"
#include "check/rejected.hpp"
#include "check/smoothing.hpp"
#include "check/vector_property.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

constexpr std::size_t kMaxProperties = 256;
constexpr std::size_t kMaxStepSize = 128;
constexpr std::size_t kMaxStepDigits = 400;

// Computed when the first property asks for it.
class Gram {
 public:
  explicit Gram(const VectorInput& input) : input_(input) {}
  const ScaledMatrix& get() {
    if (!gram_) gram_ = gram_of(vectors_of(input_));
    return *gram_;
  }

 private:
  const VectorInput& input_;
  std::optional<ScaledMatrix> gram_;
};

void require_short(const Integer& value, const std::string& where) {
  require(boost::multiprecision::abs(value).str().size() <= kMaxStepDigits, where,
          "numbers of more than 400 digits");
}

// The vectors of a step, written out.
ScaledMatrix read_vectors(const json::Value& list) {
  const std::string where = "vectors";
  require(list.is_array() && !list.empty() && list.size() <= kMaxStepSize && list[0].is_array() &&
              !list[0].empty() && list[0].size() <= kMaxStepSize,
          where, "must be 1 to 128 lists of 1 to 128 numbers");
  RationalMatrix rows(list.size(), list[0].size());
  Integer common = 1;
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    require(list[k].is_array() && list[k].size() == rows.columns(), where, "must be equally long");
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      require(list[k][j].is_string(), where, "must be strings");
      const Rational value = value_of(exact::parse_rational(list[k][j].get<std::string>()));
      require_short(boost::multiprecision::numerator(value), where);
      common = boost::multiprecision::lcm(common, boost::multiprecision::denominator(value));
      require_short(common, where);
      rows(k, j) = value;
    }
  }
  return scaled(rows);
}

}  // namespace

void verify_vectors(const json::Value& certificate, const FileBySha256& file) {
  value_of(certificate::only_keys(
      certificate, {"claim", "claim_sha256", "format", "input", "kind", "properties"},
      "certificate"));
  const json::Value& properties = certificate["properties"];
  require(properties.is_array() && !properties.empty() && properties.size() <= kMaxProperties,
          "properties", "must be 1 to 256");
  const VectorInput input = read_vector_input(certificate["input"], file);
  Gram gram(input);
  for (std::size_t i = 0; i < properties.size(); ++i) {
    value_of(certificate::only_keys(properties[i], {"evidence", "statement"}, "properties"));
    const json::Value& statement = properties[i]["statement"];
    for (std::size_t k = 0; k < i; ++k) {
      require(properties[k]["statement"] != statement, "properties", "two are the same");
    }
    if (property_of(statement) == "smoothing") {
      verify_smoothing(statement, properties[i]["evidence"], input);
    } else {
      verify_vector_property(statement, properties[i]["evidence"], gram.get());
    }
  }
}

exact::Result<void> check_vectors_step(const json::Value& statement, const json::Value& evidence,
                                       const std::string& where) {
  try {
    value_of(certificate::only_keys(statement, {"property", "scope", "vectors"}, where));
    const ScaledMatrix rows = read_vectors(statement["vectors"]);
    verify_vector_property(statement["property"], evidence, gram_of(rows));
  } catch (const Rejected& rejected) {
    return exact::fail(rejected.error.code, where,
                       rejected.error.where + ": " + rejected.error.what);
  }
  return {};
}

}  // namespace sinkproof::check

#include "check/vectors.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "certificate/envelope.hpp"
#include "certificate/fields.hpp"
#include "check/longest_text.hpp"
#include "check/rejected.hpp"
#include "check/smoothing.hpp"
#include "check/vector_property.hpp"
#include "exact/bits.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

constexpr std::size_t kMaxProperties = 256;
constexpr std::size_t kMaxSearches = 16;                     // properties of 6.3 to 6.5
constexpr std::size_t kMaxProducts = std::size_t{1} << 30U;  // for a Gram matrix
constexpr std::size_t kMaxStepSize = 128;
constexpr std::size_t kMaxStepDigits = 400;

// What the properties speak of. Each is computed once, when the first property asks for it: a head
// may take 2^31 products, and 256 properties may look at it.
class Subject {
 public:
  Subject(const VectorInput& input, certificate::Work& work) : input_(input), work_(work) {}

  const ScaledMatrix& gram() {
    if (!gram_) {
      const std::size_t products = count() * count() * vectors().columns();
      require(products <= kMaxProducts, "input", "is too large for a Gram matrix");
      value_of(work_.spend({products, certificate::cost_of(2 * input_.bits + 32)}, "Gram matrix"));
      gram_ = gram_of(vectors());
    }
    return *gram_;
  }

  const Moments& moments() {
    if (!moments_) {
      require(input_.head.has_value(), "smoothing", "needs a head");
      require(input_.head->output.rows() == input_.tokens.columns(), "smoothing",
              "the head must put out vectors as long as the tokens");
      moments_ = moments_of(input_.tokens, vectors());
    }
    return *moments_;
  }

 private:
  [[nodiscard]] std::size_t count() const { return input_.tokens.rows(); }

  const ScaledMatrix& vectors() {
    if (!input_.head) return input_.tokens;
    if (!vectors_) {
      const ValueHead& head = *input_.head;
      value_of(work_.spend({count(), head.value.rows(), head.value.columns() + head.output.rows(),
                            certificate::cost_of(input_.bits)},
                           "vectors of the head"));
      vectors_ = vectors_of(input_);
    }
    return *vectors_;
  }

  const VectorInput& input_;
  certificate::Work& work_;
  std::optional<ScaledMatrix> vectors_;
  std::optional<ScaledMatrix> gram_;
  std::optional<Moments> moments_;
};

void require_short(const Integer& value, const std::string& where) {
  require(boost::multiprecision::abs(value).str().size() <= kMaxStepDigits, where,
          "numbers of more than 400 digits");
}

std::uint64_t most_bits(const IntegerMatrix& entries) {
  std::uint64_t most = 0;
  for (std::size_t k = 0; k < entries.rows(); ++k) {
    for (std::size_t j = 0; j < entries.columns(); ++j) {
      most = std::max(most, exact::bits_of(entries(k, j)));
    }
  }
  return most;
}

// The vectors of a step, written out.
VectorInput read_vectors(const json::Value& list) {
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
  VectorInput input{scaled(rows), {}, 0};
  input.bits = exact::bits_of(input.tokens.denominator) + most_bits(input.tokens.entries);
  return input;
}

// Whatever costs T^3 or more.
bool is_search(const json::Value& statement) {
  const bool named = statement.is_object() && statement.contains("property");
  if (!named) return false;  // verify_vector_property says so
  const json::Value& name = statement["property"];
  return name == "cost" || name == "infeasible" || name == "representable";
}

// What can be wrong with the list before any file is opened.
void require_properties(const json::Value& properties) {
  require(properties.is_array() && !properties.empty() && properties.size() <= kMaxProperties,
          "properties", "must be 1 to 256");
  std::size_t searches = 0;
  std::set<std::string> statements;
  for (const json::Value& property : properties) {
    value_of(certificate::only_keys(property, {"evidence", "statement"}, "properties"));
    const json::Value& statement = property["statement"];
    if (is_search(statement)) ++searches;
    require(statements.insert(json::canonical(statement)).second, "properties", "two are the same");
  }
  require(searches <= kMaxSearches, "properties", "more than 16 of cost and representable");
}

}  // namespace

void verify_vectors(const json::Value& certificate, const FileBySha256& file) {
  value_of(certificate::only_keys(
      certificate, {"claim", "claim_sha256", "format", "input", "kind", "properties"},
      "certificate"));
  const json::Value& properties = certificate["properties"];
  require_properties(properties);
  certificate::Work work(certificate::certificate_bytes(certificate).size());
  const VectorInput input = read_vector_input(certificate["input"], file, work);
  Subject subject(input, work);
  for (const json::Value& property : properties) {
    const json::Value& statement = property["statement"];
    if (property_of(statement) == "smoothing") {
      verify_smoothing(statement, property["evidence"], subject.moments());
    } else {
      const PropertyWork of_property{work, input.bits, longest_text(property).characters};
      verify_vector_property(statement, property["evidence"], subject.gram(), of_property);
    }
  }
}

exact::Result<void> check_vectors_step(const json::Value& statement, const json::Value& evidence,
                                       certificate::Work& work, const std::string& where) {
  try {
    value_of(certificate::only_keys(statement, {"property", "scope", "vectors"}, where));
    const VectorInput input = read_vectors(statement["vectors"]);
    Subject subject(input, work);
    const std::uint64_t longest =
        std::max(longest_text(statement["property"]).characters, longest_text(evidence).characters);
    verify_vector_property(statement["property"], evidence, subject.gram(),
                           {work, input.bits, longest});
  } catch (const Rejected& rejected) {
    return exact::fail(rejected.error.code, where,
                       rejected.error.where + ": " + rejected.error.what);
  }
  return {};
}

}  // namespace sinkproof::check

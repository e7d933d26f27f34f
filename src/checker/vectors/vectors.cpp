#include "vectors/vectors.hpp"

#include <algorithm>
#include <optional>

#include "certificate/envelope.hpp"
#include "certificate/rule.hpp"
#include "certificate/vectors.hpp"
#include "exact/bits.hpp"
#include "vectors/gram_rules.hpp"
#include "vectors/smoothing.hpp"
#include "vectors/vector_input.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;

constexpr std::size_t kMaxProducts = std::size_t{1} << 30U;  // for a Gram matrix
constexpr std::size_t kMaxStepSize = 128;

// What the properties speak of. Each is computed once, when the first property asks for it: a head
// may take 2^31 products, and 256 properties may look at it.
class Subject {
 public:
  explicit Subject(const VectorInput& input) : input_(input) {}

  [[nodiscard]] std::size_t count() const { return input_.tokens.rows(); }

  // Throws Rejected unless the evidence proves what is stated.
  void verify(const certificate::VectorProperty& property) {
    std::visit([&](const auto& stated) { verify(stated); }, property);
  }

 private:
  void verify(const certificate::Smoothing& stated) { verify_smoothing(stated, moments()); }

  template <typename Stated>
  void verify(const Stated& stated) {
    require_proved(stated, gram());
  }

  const exact::ScaledMatrix& gram() {
    if (!gram_) {
      const std::size_t products = count() * count() * vectors().columns();
      require(products <= kMaxProducts, "input", "is too large for a Gram matrix");
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

  const exact::ScaledMatrix& vectors() {
    if (!input_.head) return input_.tokens;
    if (!vectors_) vectors_ = vectors_of(input_);
    return *vectors_;
  }

  const VectorInput& input_;
  std::optional<exact::ScaledMatrix> vectors_;
  std::optional<exact::ScaledMatrix> gram_;
  std::optional<Moments> moments_;
};

// The vectors of a step, written out.
VectorInput read_vectors(const json::Value& list) {
  require(list.is_array() && !list.empty() && list.size() <= kMaxStepSize && list[0].is_array() &&
              !list[0].empty() && list[0].size() <= kMaxStepSize,
          "vectors", "must be 1 to 128 lists of 1 to 128 numbers");
  Integer common = 1;
  const auto rows = certificate::read_tokens(list, list.size(), list[0].size(), common, "vectors");
  for (const exact::Rational& number : rows.values()) {
    certificate::require_short(numerator(number), "vectors");
  }
  return {scaled(rows), {}};
}

}  // namespace

void verify_vectors(const json::Value& certificate, const FileBySha256& file) {
  const certificate::Vectors stated = certificate::read_vectors(certificate);
  const VectorInput input = read_vector_input(stated.source, file);
  Subject subject(input);
  const certificate::Vectors of_input = certificate::read_vectors(certificate, subject.count());
  for (const auto& property : of_input.properties) subject.verify(property);
}

void check_vectors_step(const json::Value& statement, const json::Value& evidence,
                        const std::string& where) {
  try {
    keys(statement, {"property", "scope", "vectors"}, where);
    const VectorInput input = read_vectors(statement["vectors"]);
    Subject subject(input);
    subject.verify(certificate::read_vector_property(statement["property"], evidence,
                                                     subject.count()));
  } catch (Rejected& rejected) {
    rejected.error.what = rejected.error.where + ": " + rejected.error.what;
    rejected.error.where = where;
    throw;
  }
}

}  // namespace sinkproof::check

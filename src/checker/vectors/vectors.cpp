#include "vectors/vectors.hpp"

#include <algorithm>
#include <optional>

#include "certificate/envelope.hpp"
#include "certificate/numbers.hpp"
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

// What the properties are about. Each is computed once, when the first property asks for it: a head
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
VectorInput read_vectors(certificate::Fields& fields) {
  const std::string what = "must be 1 to 128 lists of 1 to 128 numbers";
  certificate::Entries row{1, kMaxStepSize, what};
  exact::RationalMatrix rows;
  Integer common = 1;
  fields.array("vectors", 0, row, [&](certificate::Fields& list, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      list.array(i, 0, row, [&](certificate::Fields& entries, std::size_t columns) {
        if (i == 0) rows = exact::RationalMatrix(count, columns);
        row = {columns, columns, what};
        for (std::size_t c = 0; c < columns; ++c) {
          entries.number(c, rows(i, c));
          certificate::require_short(entries, common, rows(i, c));
        }
      });
    }
  });
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
    require(statement.is_object() && evidence.is_object(), "statement", "must be an object",
            "SP0503");
    certificate::Fields fields(statement, "statement");
    const VectorInput input = read_vectors(fields);
    Subject subject(input);
    certificate::VectorProperty property;
    std::string scope;
    fields.scope(scope);
    fields.object("property", [&](certificate::Fields& part) {
      describe_statement(part, property, subject.count());
    });
    fields.finish();
    certificate::Fields proving(evidence, "evidence");
    describe_evidence(proving, property, subject.count());
    proving.finish();
    subject.verify(property);
  } catch (Rejected& rejected) {
    rejected.error.what = rejected.error.where + ": " + rejected.error.what;
    rejected.error.where = where;
    throw;
  }
}

}  // namespace sinkproof::check

// The vectors a measurement is about, exactly: the rows of a tensor, or the values
// W_O (W_V x + c) of one head at those rows (src/checker/certificate/VECTOR_RULES.md, 6.1; claims
// sw-1 to sw-3, sm-1, sm-2). Every stored weight is dyadic, so are these: whole numbers and one
// power of two, which keeps the arithmetic free of fractions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "exact/error.hpp"
#include "exact/matrix.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::measure {

// entries * 2^-scale.
struct DyadicMatrix {
  exact::Matrix<exact::Integer> entries;
  unsigned scale = 0;

  [[nodiscard]] std::size_t rows() const { return entries.rows(); }
  [[nodiscard]] std::size_t columns() const { return entries.columns(); }
  [[nodiscard]] exact::Rational at(std::size_t row, std::size_t column) const;
};

// Precondition: every value is dyadic, values.size() = rows * columns.
DyadicMatrix dyadic_matrix(std::size_t rows, std::size_t columns,
                           const std::vector<exact::Rational>& values);
// a (p x q) times the transpose of b (r x q).
DyadicMatrix times_transpose(const DyadicMatrix& a, const DyadicMatrix& b);
// The same numbers as rationals.
exact::RationalMatrix rationals(const DyadicMatrix& matrix);
// The rows' inner products, rows x rows: whole numbers over 2^scale, and as rationals.
DyadicMatrix exact_gram(const DyadicMatrix& rows);
exact::RationalMatrix gram_matrix(const DyadicMatrix& rows);

inline constexpr std::size_t kMaxTokens = 1024;
inline constexpr std::size_t kMaxHeads = 1024;

// A safetensors file held in memory: certificates name it by its hash.
struct NamedFile {
  std::string path;  // for messages
  std::string bytes;
  std::string sha256;
  safetensors::Contents contents;
};

// SP02xx, SP04xx: as file::read and safetensors::parse.
exact::Result<NamedFile> read_file(const std::string& path);
exact::Result<NamedFile> named_file(std::string path, std::string bytes);

// Rows x_0..x_{T-1} of a tensor [T, d].
struct Tokens {
  std::string tensor;
  DyadicMatrix rows;
};

// SP1501: there is no tensor of that name; or no name is given and the file holds no or several
// matrices. SP1502: not of shape [T, d] within the limits of VECTOR_RULES.md 6.1 (for rows no
// certificate is about, T may be allowed to be larger). SP0404, SP0405: its values cannot be read
// or are not finite.
exact::Result<Tokens> read_tokens(const NamedFile& file, const std::optional<std::string>& tensor,
                                  std::size_t max_rows = kMaxTokens);

// One head's share of W_V, W_O and W_V.bias.
struct ValueHead {
  std::string prefix;  // "" or "layers.{l}."
  std::size_t num_heads = 1;
  std::size_t head = 0;
  DyadicMatrix value;   // W_V, n x d
  DyadicMatrix output;  // W_O, m x n
  DyadicMatrix bias;    // c, 1 x n; zeros where the file has none
};

struct HeadPlace {
  std::size_t layer = 0;
  std::size_t num_heads = 1;
  std::size_t head = 0;
};

// "layers.{l}." if the file holds such a layer, "" for layer 0 of a file with one unnumbered layer.
// SP1504: no such layer.
exact::Result<std::string> layer_prefix(const NamedFile& file, std::size_t layer);

// SP1504: no such layer or head. SP1501: a tensor is missing. SP1502: shapes that do not fit each
// other or the number of heads.
exact::Result<ValueHead> read_head(const NamedFile& file, const HeadPlace& place);

// W_O (W_V x + c) for each row x, T x m. Precondition: head.value.columns() = tokens.columns().
DyadicMatrix values_of(const ValueHead& head, const DyadicMatrix& tokens);

}  // namespace sinkproof::measure

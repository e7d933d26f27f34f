// Descriptions of long numbers, and of matrices (schema.hpp).
#pragma once

#include <cstddef>
#include <string>

#include "certificate/schema.hpp"
#include "exact/matrix.hpp"

namespace sinkproof::certificate {

// An integer as a text of at most `max_characters`, so that it may be long.
void describe_whole(Fields& io, const Key& key, exact::Integer& of, std::size_t max_characters);

// `common`, a multiple of the denominators of all before x, becomes one of x's, and both stay
// short, so that sums over them do.
void require_short(const Fields& io, exact::Integer& common, const exact::Rational& x);

// Lists of such numbers, one for each row.
void describe_matrix(Fields& io, const Key& key, exact::RationalMatrix& of, std::size_t rows,
                     std::size_t columns, exact::Integer& common, const std::string& what);

}  // namespace sinkproof::certificate

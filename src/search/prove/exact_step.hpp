// The producer's own look at an implication or identity before it goes into a certificate. Written
// apart from check/, which must not be believed by those it checks.
#pragma once

#include <string>
#include <string_view>

#include "certificate/implication.hpp"
#include "certificate/schema.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::prove {

// What a file of a step says, NAME.implication.json say, as the type of its rule
// (certificate/step.hpp). SP0301, and reading errors SP0101, SP0503, SP0504.
template <typename Exact>
exact::Result<Exact> read_exact(std::string_view text, const std::string& where) {
  const auto content = json::parse_strict(text, where);
  if (!content) return tl::unexpected(content.error());
  return certificate::result_of([&] { return certificate::read<Exact>(*content, where); });
}

// Ok when the multipliers prove the statement; when the identities hold. SP0714 says what fails.
exact::Result<void> verify(const certificate::Implication& step, const std::string& where);
exact::Result<void> verify(const certificate::Identities& step, const std::string& where);

}  // namespace sinkproof::prove

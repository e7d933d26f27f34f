// What a checkpoint or layer certificate asks of a checker, FORMAT.md section 7: a sum over the
// text of the certificate and the sizes of its model, spent before any rule is looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "certificate/work.hpp"
#include "check/kernel.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

struct ModelSizes {
  std::size_t width;   // n
  std::size_t heads;   // H
  std::size_t length;  // L
  std::uint64_t bits;  // B; 1 while the weights are not read
};

// Throws Rejected: SP0905 over the budget.
void spend_model(const ModelSizes& sizes, certificate::Work& work);

// The same for everything `properties` and `ranges` of the certificate hold. SP0901: a number of
// more than 2000 characters.
void spend_properties(const json::Value& certificate, const Attention& attention,
                      const ModelSizes& sizes, certificate::Work& work);

}  // namespace sinkproof::check

// A language certificate as the JSON object that certificate::read_language reads.
#pragma once

#include "certificate/language.hpp"
#include "json/strict.hpp"

namespace sinkproof::measure {

json::Value language_value(const certificate::Language& language);

}  // namespace sinkproof::measure

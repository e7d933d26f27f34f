// A checkpoint or vector rule returns if and only if what it is asked is proved; otherwise it
// throws Rejected, which check.cpp catches.
#pragma once

#include "certificate/fields.hpp"

namespace sinkproof::check {

using certificate::keys;
using certificate::number;
using certificate::Rejected;
using certificate::rejected_by;
using certificate::require;
using certificate::text;
using certificate::value_of;

}  // namespace sinkproof::check

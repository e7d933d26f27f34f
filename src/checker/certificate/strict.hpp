// How the trusted base says no (exact/error.hpp), by the names its folders use.
#pragma once

#include "exact/error.hpp"

namespace sinkproof::certificate {

using exact::Rejected;
using exact::rejected_by;
using exact::require;
using exact::result_of;
using exact::value_of;

}  // namespace sinkproof::certificate

// The checker's word, asked before anything is handed on. This folder must not include the checker,
// so the caller brings it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::measure {

// The checker's error unless it accepts the certificate, which is about files with these bytes.
using Accept = std::function<exact::Result<void>(const json::Value& certificate,
                                                 const std::vector<std::string>& files)>;

}  // namespace sinkproof::measure

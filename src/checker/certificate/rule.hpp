// What the rules of all rooms of the checker share. A rule returns if and only if what it is asked
// is proved; otherwise it throws Rejected, which check/check.cpp catches.
#pragma once

#include <functional>
#include <string>

#include "certificate/strict.hpp"

namespace sinkproof::check {

using certificate::Rejected;
using certificate::rejected_by;
using certificate::require;
using certificate::value_of;

// The bytes of the file with this SHA-256; throws Rejected where there is none.
using FileBySha256 = std::function<std::string(const std::string& sha256)>;

// What a part that is left out of this checker (CMake: SINKPROOF_CHECK_NAME) says in place of a
// verdict.
[[noreturn]] inline void refuse_left_out(const std::string& part) {
  throw Rejected{{"SP0906", "certificate",
                  "this checker was built without the part `" + part +
                      "`; check it with a sinkproof-check that has all parts"},
                 2};
}

}  // namespace sinkproof::check

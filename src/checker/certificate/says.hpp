// What a theory claim's claim.toml names as the formal statements of its words (FORMAT.md, 3.2). A
// trusted reader looks at lines only; whoever parses the TOML compares (claim::load_claim).
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace sinkproof::certificate {

// The names in the lines `says = ["NAME", ..., "NAME"]`. Throws Rejected, SP0810: such a line has
// another form, or there is none.
std::set<std::string> said_names(std::string_view claim_toml, const std::string& where);

}  // namespace sinkproof::certificate

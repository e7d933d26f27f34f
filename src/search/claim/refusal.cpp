#include "claim/refusal.hpp"

#include <set>

namespace sinkproof::claim {

exact::Error refusal(const std::string& where, const exact::Error& reason) {
  const std::string words = reason.code + " " + reason.where + (reason.where.empty() ? "" : ": ") +
                            reason.what + "; no bound is printed";
  if (reason.code == "SP0905") {
    return {reason.code, where,
            "the check of the search's certificate needs more memory than there is: " + words};
  }
  const bool failed = reason.code == "SP0999" || reason.code == "SP0902";
  return {failed ? "SP1304" : "SP1303", where,
          "the trusted checker did not accept the search's certificate: " + words};
}

int exit_code_of(const exact::Error& error) {
  if (error.code == "SP1304" || error.code == "SP1205") return 5;
  static const std::set<std::string> no_end = {"SP0905", "SP1303", "SP1413"};
  return no_end.contains(error.code) ? 3 : 2;
}

}  // namespace sinkproof::claim

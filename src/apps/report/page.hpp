// One self-contained page, report.html, from certificates: what each claims, what the checker said
// of it, the bounds, and the attention matrices of the exact inputs that attain them. Nothing on
// the page comes from a network, nothing depends on time, host or folders: equal inputs give equal
// bytes. The page is only as good as the outcomes handed in; the caller gets them from the trusted
// checker, and a bound the checker did not accept is not shown.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// The page, sections in the order of `inputs`. A model that is missing, unreadable or another than
// the certificate's, or a claim folder like that, is stated on the page and is not an error.
// SP1201: no certificates. SP1202: an outcome says accepted (exit 0 or 3), but the certificate is
// not of a form the checker accepts (the field is named): the two do not belong together.
exact::Result<std::string> html(const std::vector<Input>& inputs, const Options& options);

// What the page says first, as sentences of text: at most three, none where it finds nothing to say
// of a checkpoint. SP1202 as html().
exact::Result<std::vector<std::string>> sentences(const std::vector<Input>& inputs,
                                                  const Options& options);

}  // namespace sinkproof::report

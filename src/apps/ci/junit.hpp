// The gate's result as JUnit XML, in the form Jenkins, GitLab and GitHub's test reporters share:
// testsuites > testsuite (one for each suite, in order of appearance) > testcase.
//   holds                  a testcase without children
//   warning                passes; the warning is in <system-out>, as is a reading of the model
//                          otherwise than by its metadata
//   exit code 1, 3, 4      <failure>: what was asked is not so, or not known to be
//   exit code 2, 5         <error>: it could not be asked
//   unchanged              <skipped>
// `time` is in seconds; a suite's is the sum of its cases', that of testsuites the wall time.
#pragma once

#include <string>

#include "ci/summary.hpp"

namespace sinkproof::ci {

// Well-formed XML 1.0 in UTF-8 whatever the texts hold (text/printable.hpp).
std::string junit_xml(const Summary& summary);

}  // namespace sinkproof::ci

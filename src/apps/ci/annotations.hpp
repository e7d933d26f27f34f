// The gate's result as GitHub's workflow commands, one a line on standard output:
// `::error file=sinkproof.toml,line=7,col=1,title=SP1711 refuted%3A tc-1::MESSAGE`. The runner
// shows them beside the lines of a pull request. Everything that could end a command or begin
// another is percent-encoded as the runner decodes it.
#pragma once

#include <cstddef>
#include <string>

#include "ci/summary.hpp"

namespace sinkproof::ci {

// GitHub shows so many of each level for one step.
inline constexpr std::size_t kShownAnnotations = 10;

// ::error and ::warning for each finding of that level; one ::notice that counts what was not
// decided again. Of more than kShownAnnotations of one level the last says how many there are
// besides. "" when everything holds.
std::string annotations(const Summary& summary);

}  // namespace sinkproof::ci

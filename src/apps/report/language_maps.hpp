// Pictures of a language certificate: layer by head, and layer by position.
#pragma once

#include <string>
#include <vector>

#include "report/chart/enclosure_map.hpp"
#include "report/language_reading.hpp"

namespace sinkproof::report {

// The attention of each head on the sink position, by attention and by what that writes, and which
// heads certainly sink; "" where no alphas are stated. `anchor` begins the pictures' ids.
std::string sink_maps(const LanguageAudit& audit, const std::string& anchor);

// The logits on the sink position split into sizes and directions; "" where they are not stated.
std::string logit_maps(const LanguageAudit& audit, const std::string& anchor);

// Norms of rows, queries, keys and values; "" where none are stated.
std::string norm_maps(const LanguageAudit& audit, const std::string& anchor);

// Axes of layers (and, where there is one row more, the output) and of heads, `size` places in as
// many stretches as can be shown.
Axis layer_axis(const LanguageAudit& audit, const std::vector<Stretch>& rows);

// A picture by layer and head of a field of these sizes.
EnclosureMap head_map(const LanguageAudit& audit, const std::string& id, const std::string& title,
                      const std::string& quantity, const EnclosureField& field);

// "mean over 3 sequences", "one sequence".
std::string over_sequences(std::size_t count, const char* kept);

}  // namespace sinkproof::report

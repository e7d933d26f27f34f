// Words that depend on a number or on what somebody typed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinkproof::text {

// "1 head", "2 heads"; "1 copy", "2 copies" where `many` is given. The one place that decides.
std::string counted(std::size_t number, std::string_view one, std::string_view many = {});

// Of `words` the one that takes the fewest letters to insert, delete or exchange, the first of
// several; "" where that is more than a third of the letters typed.
std::string nearest(const std::string& typed, const std::vector<std::string>& words);

// "; did you mean 'scale'?", or "" where none of them is near.
std::string did_you_mean(const std::string& typed, const std::vector<std::string>& words);

}  // namespace sinkproof::text

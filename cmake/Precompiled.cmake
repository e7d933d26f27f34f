# The headers that most files read, parsed once: the numbers, JSON, results and the standard library. They are
# no dependency: a folder still lists the libraries it links, each file still includes what it needs
# (scripts/includes.sh reads it without them), and tests/check reads the includes of the trusted checker as
# text. What shares them is compiled with the same options.
#
# sinkproof_precompile(NAME LIBRARY HEADERS...): a target NAME for REUSE_FROM, with headers of LIBRARY besides.
function(sinkproof_precompile name library)
  add_library(${name} OBJECT ${SINKPROOF_ROOT}/cmake/precompiled.cpp)
  target_link_libraries(${name} PRIVATE sinkproof_warnings
    Boost::headers PkgConfig::GMP fmt::fmt nlohmann_json::nlohmann_json tl::expected ${library})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cmath> <cstddef> <cstdint> <filesystem> <fstream> <functional>
    <iostream> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string>
    <string_view> <thread> <unordered_map> <utility> <variant> <vector>
    <boost/multiprecision/gmp.hpp> <fmt/format.h> <nlohmann/json.hpp> <tl/expected.hpp> ${ARGN})
endfunction()
sinkproof_precompile(sinkproof_precompiled Boost::headers)

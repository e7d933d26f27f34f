// What the processor can do at most: fused multiply-adds that wait for nothing.
#pragma once

#include <cstdint>

namespace sinkproof::bench {

// Does `rounds` rounds of independent fused multiply-adds in registers, on the best instruction set
// allowed (Highway's); returns how many floating-point operations that were, two each and lane.
std::uint64_t fused_multiply_adds(std::uint64_t rounds);

}  // namespace sinkproof::bench

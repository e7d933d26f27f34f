#include "peak.hpp"

// As in src/training/train/lanes-inl.hpp.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
// clang-format off: foreach_target.h includes this file once for each instruction set; it comes first.
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// clang-format on

#include <benchmark/benchmark.h>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::bench {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t FusedMultiplyAdds(std::uint64_t rounds) {
  // Ten chains: as many as latency times throughput on the processors we know, and they stay in
  // registers.
  const hn::CappedTag<float, 16> d;
  const auto f = hn::Set(d, 0.999F);
  auto s0 = hn::Iota(d, 0);
  auto s1 = hn::Iota(d, 1);
  auto s2 = hn::Iota(d, 2);
  auto s3 = hn::Iota(d, 3);
  auto s4 = hn::Iota(d, 4);
  auto s5 = hn::Iota(d, 5);
  auto s6 = hn::Iota(d, 6);
  auto s7 = hn::Iota(d, 7);
  auto s8 = hn::Iota(d, 8);
  auto s9 = hn::Iota(d, 9);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    s0 = hn::MulAdd(s0, f, f);
    s1 = hn::MulAdd(s1, f, f);
    s2 = hn::MulAdd(s2, f, f);
    s3 = hn::MulAdd(s3, f, f);
    s4 = hn::MulAdd(s4, f, f);
    s5 = hn::MulAdd(s5, f, f);
    s6 = hn::MulAdd(s6, f, f);
    s7 = hn::MulAdd(s7, f, f);
    s8 = hn::MulAdd(s8, f, f);
    s9 = hn::MulAdd(s9, f, f);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(s4, s5));
  float kept =
      hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, hn::Add(hn::Add(s6, s7), hn::Add(s8, s9)))));
  benchmark::DoNotOptimize(kept);
  return rounds * 10 * 2 * hn::Lanes(d);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinkproof::bench {

HWY_EXPORT(FusedMultiplyAdds);

std::uint64_t fused_multiply_adds(std::uint64_t rounds) {
  return HWY_DYNAMIC_DISPATCH(FusedMultiplyAdds)(rounds);
}

}  // namespace sinkproof::bench
#endif  // HWY_ONCE

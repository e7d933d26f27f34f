// The `ranges` of a checkpoint certificate. CHECKPOINT_RULES.md, 4.9.
#pragma once

#include <optional>
#include <vector>

#include "certificate/box.hpp"
#include "certificate/proof.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certificate {

// Kernels of the keys of one flag in rows of one query flag: logits low..high (relative to the
// row's reference), kernels least..greatest.
struct KernelClass {
  exact::Rational low;
  exact::Rational high;
  Interval kernel;
};

// One query flag: BOS, content and trigger keys, and the null slot's where there is one.
struct QueryRanges {
  KernelClass bos;
  KernelClass content;
  KernelClass trigger;
  std::optional<KernelClass> null;
  bool bos_reference = true;  // else the content key's; of relative kinds only
  Interval gate{1, 1};
};

struct HeadRanges {
  QueryRanges content;
  QueryRanges trigger;
  Interval first;  // row 1: the kernel of BOS on itself
  Interval first_gate{1, 1};
};

struct Ranges {
  Trees trees;
  std::vector<HeadRanges> heads;
};

// Its description (schema.hpp), as part of `whole`, of which what is before it has been read.
void describe(Fields& io, Ranges& of, const Checkpoint& whole);

}  // namespace sinkproof::certificate

// The experiments of arXiv:2603.11487 in one run, into one folder: six models trained
// (variant.hpp), their attention on random sequences drawn (figures.hpp), and attention on BOS per
// layer and head in a table (bos_table.hpp), enclosed on drawn sequences and certified over the box
// by certificates that the trusted checker accepted.
//
// For each MODEL the folder gets MODEL.safetensors, MODEL.sample.json (what the figures draw),
// MODEL.drawn.json and MODEL.box.json (certificates), figures/MODEL-*.svg; and table.json and
// page.html for all that were asked for. What is there and of the same run is not made again;
// certificates that are there are checked, not believed. The page and the table are put together of
// what is there each time.
#pragma once

#include <vector>

#include "exact/error.hpp"
#include "reproduce/bos_table.hpp"
#include "reproduce/run_folder.hpp"
#include "reproduce/variant.hpp"

namespace sinkproof::reproduce {

// Sequences whose BOS attention is enclosed, of seed Options::seed.
inline constexpr std::size_t kDrawn = 100;

struct Options : RunOptions {
  std::vector<Variant> variants;  // not empty
  Draw draw;                      // its seed is that of training and of the drawn sequences, too
  bool certify_stacks = false;    // bound those over the box, too
};

struct Reproduction : Done {
  std::vector<BosLine> lines;
};

// SP0203: a file or the folder cannot be written. SP1801: the folder holds a model of another run.
// Otherwise the errors of training, of sample_attention and of the page.
exact::Result<Reproduction> reproduce(const Options& options);

}  // namespace sinkproof::reproduce

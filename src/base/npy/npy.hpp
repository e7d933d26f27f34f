// NumPy's .npy format, versions 1 and 2, as far as token ids and tables of figures need it.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html describes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::npy {

struct Integers {
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> values;  // row-major
};

// An array of integers of 1, 2, 4 or 8 bytes, little-endian, row-major, of one or two dimensions,
// none of them 0. SP2104 for anything else; nothing is reserved that the bytes do not hold.
exact::Result<Integers> parse_integers(std::string_view bytes, const std::string& where);

// The same of one to 32 dimensions.
exact::Result<Integers> parse_table(std::string_view bytes, const std::string& where);

// An array of doubles where its file's bytes lie.
struct Float64View {
  std::vector<std::size_t> shape;
  std::string_view data;
  double operator[](std::size_t i) const;  // row-major
};

// An array of little-endian float64, row-major, of one to five dimensions, none of them 0. SP2104
// for anything else. It looks into `bytes`.
exact::Result<Float64View> view_float64(std::string_view bytes, const std::string& where);

struct NamedArray {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const double> values;  // row-major
};

// A .npz file, as numpy.savez writes it: a zip archive of NAME.npy, stored. Its time stamps are the
// first that the format has, so that equal arrays give equal bytes. Preconditions: names are
// unique, [A-Za-z0-9_-]; at most 65535 arrays and 4 GiB.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
std::string npz(const std::vector<NamedArray>& arrays);

// What a file of doubles starts with; their little-endian bytes follow, row-major.
std::string float64_header(std::span<const std::size_t> shape);

}  // namespace sinkproof::npy

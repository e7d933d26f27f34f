#include "random_checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace sinkproof::test {
namespace {

using Random = std::mt19937_64;

constexpr const char* kKinds[] = {"softmax",         "sigmoid-normalised",
                                  "elu1-normalised", "softmax-null",
                                  "softmax-gated",   "relu",
                                  "sigmoid",         "elu1",
                                  "linear",          "softmax-sink"};

// A binary float format: bits of the fraction, exponent of its largest and of its least normal
// number.
struct Dtype {
  const char* name;
  int fraction_bits;
  int exponent_bits;

  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(1 + exponent_bits + fraction_bits) / 8;
  }
};

constexpr Dtype kDtypes[] = {{"F64", 52, 11}, {"F32", 23, 8}, {"F16", 10, 5}, {"BF16", 7, 8}};

// The exponent of the last bit of a number near x.
int last_place(const Dtype& dtype, double x) {
  const int exponent = x == 0 ? -dtype.bias() : std::ilogb(x);
  return std::max(exponent, 1 - dtype.bias()) - dtype.fraction_bits;
}

// x to the nearest number of the format, cut off at its largest.
double rounded(const Dtype& dtype, double x) {
  const double largest = std::ldexp(2 - std::ldexp(1.0, -dtype.fraction_bits), dtype.bias());
  const double cut = std::clamp(x, -largest, largest);
  const int place = last_place(dtype, cut);
  // In two steps: 2^-place may be beyond the doubles.
  const double up = std::ldexp(std::ldexp(cut, -place / 2), -place + place / 2);
  const double value = std::ldexp(std::ldexp(std::nearbyint(up), place / 2), place - place / 2);
  return std::clamp(value, -largest, largest);
}

// The bits of a number of the format.
std::uint64_t bits_of(const Dtype& dtype, double x) {
  const int place = last_place(dtype, x);
  const auto significand = static_cast<std::uint64_t>(
      std::ldexp(std::ldexp(std::fabs(x), -place / 2), -place + place / 2));
  const std::uint64_t hidden = std::uint64_t{1} << dtype.fraction_bits;
  const int exponent = significand < hidden ? 0 : place + dtype.fraction_bits + dtype.bias();
  const std::uint64_t sign = std::signbit(x) ? 1 : 0;
  return (sign << (dtype.fraction_bits + dtype.exponent_bits)) |
         (static_cast<std::uint64_t>(exponent) << dtype.fraction_bits) |
         (significand & (hidden - 1));
}

std::string number_list(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (const std::size_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return "[" + text + "]";
}

class Draw {
 public:
  Draw(std::uint64_t seed, Sizes sizes) : random_(seed) {
    result_.kind = kKinds[seed % std::size(kKinds)];
    draw_sizes(sizes);
    regime_ = static_cast<Regime>(below(kRegimes));
    scale_ = std::pow(10.0, uniform(-3, 3));
  }

  RandomCheckpoint run() {
    const std::size_t n = result_.width;
    const std::size_t wide = n * result_.heads;
    add("W_Q.weight", {wide, n});
    add("W_K.weight", {wide, n});
    add("W_V.weight", {wide, n});
    add("W_O.weight", {n, wide});
    if (regime_ == Regime::kSwitch) make_switch();
    if (regime_ == Regime::kTied) {
      values("W_K.weight") = values("W_Q.weight");
      values("W_V.weight") = values("W_Q.weight");
    }
    for (const char* name : {"W_Q.bias", "W_K.bias", "W_V.bias", "W_O.bias"}) {
      if (below(3) == 0) add(name, {name[2] == 'O' ? n : wide});
    }
    if (result_.kind == "softmax-gated") {
      add("W_G.weight", {result_.heads, n});
      add("W_G.bias", {result_.heads});
    }
    if (result_.kind == "softmax-sink") add("sinks", {result_.heads});
    write();
    return std::move(result_);
  }

 private:
  enum class Regime {
    kGaussian,   // one deviation for all
    kApart,      // each tensor its own deviation
    kSwitch,     // close to the ideal BOS switch, often saturated
    kTied,       // query, key and value weights are the same
    kSubnormal,  // about the least numbers of the dtype
    kHuge,       // up to the largest numbers of the dtype
    kFew,        // many zeros, and few distinct numbers
  };
  static constexpr std::size_t kRegimes = 7;
  static constexpr const char* kRegimeNames[kRegimes] = {"gaussian",  "apart", "switch", "tied",
                                                         "subnormal", "huge",  "few"};

  std::size_t below(std::size_t bound) { return random_() % bound; }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  double gaussian() {
    constexpr double kTurn = 6.283185307179586;
    return std::sqrt(-2 * std::log(uniform(1e-15, 1))) * std::cos(uniform(0, kTurn));
  }

  void draw_sizes(Sizes sizes) {
    std::size_t widest = 8;
    std::size_t longest = 8;
    if (sizes == Sizes::kMixed) {
      const std::size_t die = below(100);
      if (die >= 80) widest = longest = 16;
      if (die >= 97) {
        widest = 32;
        longest = 64;
      }
    }
    result_.width = 4 + below(widest - 3);
    result_.length = 3 + below(longest - 2);
    result_.heads = below(2) == 0 ? 1 : 1 + below(3);
  }

  double number(const Dtype& dtype, double deviation) {
    switch (regime_) {
      case Regime::kSubnormal:
        return gaussian() * std::ldexp(8.0, -dtype.bias() - dtype.fraction_bits);
      case Regime::kHuge:
        return gaussian() * std::ldexp(1.0, dtype.bias() - static_cast<int>(below(24)));
      case Regime::kFew:
        return below(3) == 0 ? deviation * (static_cast<double>(below(3)) - 1) : 0;
      default:
        return gaussian() * deviation;
    }
  }

  void add(const std::string& name, const std::vector<std::size_t>& shape) {
    const Dtype& dtype = kDtypes[below(std::size(kDtypes))];
    dtypes_[name] = &dtype;
    shapes_[name] = shape;
    const double deviation = regime_ == Regime::kApart ? std::pow(10.0, uniform(-3, 3)) : scale_;
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    for (std::size_t i = 0; i < size; ++i) values(name).push_back(number(dtype, deviation));
  }

  // Logits that send content queries to BOS and triggers to everything else; copies as values. All
  // times a factor, with some noise.
  void make_switch() {
    constexpr double kFactors[] = {1, 3, 300, 1e4};
    const double factor = kFactors[below(std::size(kFactors))];
    const std::size_t n = result_.width;
    const std::size_t wide = n * result_.heads;
    for (std::size_t row = 0; row < wide; ++row) {
      const std::size_t i = row % n;
      for (std::size_t j = 0; j < n; ++j) {
        const double logit = j == 0 && i == n - 1 ? 8 : j == 0 && i == 1 ? -8 : 0;
        const double same = i == j ? 1 : 0;
        const auto noisy = [&](double x) { return factor * (x + 0.01 * gaussian()); };
        values("W_Q.weight")[row * n + j] = noisy(same);
        values("W_K.weight")[row * n + j] = noisy(logit);
        values("W_V.weight")[row * n + j] = noisy(i > 0 ? same : 0);
        values("W_O.weight")[j * wide + row] = noisy(same / static_cast<double>(result_.heads));
      }
    }
  }

  std::vector<double>& values(const std::string& name) { return result_.tensors[name]; }

  void write() {
    std::string header = R"({"__metadata__":{"attention":")" + result_.kind + R"(","num_heads":")" +
                         std::to_string(result_.heads) + R"(","seq_len":")" +
                         std::to_string(result_.length) + R"("})";
    std::string data;
    std::string dtypes;
    for (auto& [name, entries] : result_.tensors) {
      const Dtype& dtype = *dtypes_.at(name);
      const std::size_t begin = data.size();
      for (double& x : entries) {
        x = rounded(dtype, x);
        const std::uint64_t bits = bits_of(dtype, x);
        for (std::size_t byte = 0; byte < dtype.size(); ++byte) {
          data += static_cast<char>((bits >> (8 * byte)) & 0xffU);
        }
      }
      header += ",\"" + name + R"(":{"dtype":")" + dtype.name + R"(","shape":)" +
                number_list(shapes_.at(name)) + R"(,"data_offsets":)" +
                number_list({begin, data.size()}) + "}";
      dtypes += " " + name + ":" + dtype.name;
    }
    header += "}";
    const std::uint64_t size = header.size();
    for (std::size_t byte = 0; byte < 8; ++byte) {
      result_.bytes += static_cast<char>((size >> (8 * byte)) & 0xffU);
    }
    result_.bytes += header + data;
    result_.description = result_.kind + ", d_model " + std::to_string(result_.width) +
                          ", length " + std::to_string(result_.length) + ", heads " +
                          std::to_string(result_.heads) + ", " +
                          kRegimeNames[static_cast<std::size_t>(regime_)] + ", deviation " +
                          std::to_string(scale_) + "," + dtypes;
  }

  Random random_;
  Regime regime_;
  double scale_;
  RandomCheckpoint result_;
  std::map<std::string, const Dtype*> dtypes_{};
  std::map<std::string, std::vector<std::size_t>> shapes_{};
};

// One of [-r,r] for all coordinates, or any for each, some of a single point.
std::vector<std::pair<double, double>> draw_box(std::uint64_t seed, std::size_t noise) {
  const std::uint64_t round = seed / std::size(kKinds);
  std::vector<std::pair<double, double>> box(noise, {-1.0, 1.0});
  if (round % 2 == 0) return box;
  std::mt19937_64 random(seed);
  const auto quarters = [&](std::uint64_t most) {
    return static_cast<double>(random() % (most + 1)) / 4;
  };
  const double radius = 0.25 + quarters(7);
  for (auto& [least, greatest] : box) {
    least = round % 4 == 1 ? -radius : quarters(12) - 2;
    greatest = round % 4 == 1 ? radius : least + quarters(8);
  }
  return box;
}

}  // namespace

RandomCheckpoint draw_checkpoint(std::uint64_t seed, Sizes sizes) {
  RandomCheckpoint drawn = Draw(seed, sizes).run();
  drawn.box = draw_box(seed, drawn.width - 3);
  return drawn;
}

}  // namespace sinkproof::test

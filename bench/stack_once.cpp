// What the pass of rule `moments`, or of `stack`, proves of one stack, by class of rows, and its
// processor seconds:
//   stack_once RULE MODEL FIRST_TRIGGER LAST_TRIGGER DEGREE ROW_DEGREE [pre]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <string_view>

#include "forward/moment_pass.hpp"
#include "model/attention_model.hpp"
#include "model/forward_model.hpp"

using namespace sinkproof;

int main(int argc, char** argv) {
  const std::string_view rule = argc > 1 ? argv[1] : "";
  if ((argc != 7 && argc != 8) || (rule != "moments" && rule != "stack")) {
    fmt::print(stderr,
               "usage: {} moments|stack MODEL FIRST_TRIGGER LAST_TRIGGER DEGREE ROW_DEGREE [pre]\n",
               argv[0]);
    return 2;
  }
  const auto model = model::load(argv[2], {});
  if (!model) return 2;
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  if (number(3) < 3 || number(3) > number(4) || number(4) > model->length) {
    fmt::print(stderr, "trigger positions: 3 <= FIRST_TRIGGER <= LAST_TRIGGER <= {}\n",
               model->length);
    return 2;
  }
  const forward::Model exact = model::forward_model(*model);
  forward::BoxRequest request{
      model->length, number(3), number(4),
      number(5),     number(6), argc == 8 ? certificate::Rows::kPre : certificate::Rows::kPost,
      model->box};
  const auto bounds = rule == "stack" ? forward::box_bounds(exact, request)
                                      : forward::moment_bounds(exact, request);
  if (!bounds) {
    fmt::print("too coarse\n");
    return 1;
  }
  const auto value = [](const exact::Integer& n) { return static_cast<double>(n) / 0x1p64; };
  for (std::size_t rows = 0; rows < 3; ++rows) {
    if (bounds->loss[rows]) fmt::print("loss {} {:.9f}\n", rows, value(*bounds->loss[rows]));
    for (std::size_t l = 0; l < bounds->paid.size(); ++l) {
      for (std::size_t h = 0; h < bounds->paid[l].size(); ++h) {
        const auto& paid = bounds->paid[l][h][rows];
        if (paid)
          fmt::print("  layer {} head {} bos [{:.9f}, {:.9f}]\n", l, h, value(paid->bos.lower),
                     value(paid->bos.upper));
      }
    }
  }
  fmt::print("{:.2f} s\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
}

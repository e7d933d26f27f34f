// The worst inputs the attack finds of one layer, and the processor seconds it takes:
//   attack_once MODEL [RESTARTS [SEED]]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "certify/attack.hpp"
#include "model/attention_model.hpp"

using namespace sinkproof;

namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void report(const std::string& what, const certify::AttackResult& result, double since) {
  fmt::print("{} {:.9g} row {} r {} s {} {:.3f}\n", what, result.value, result.witness.row,
             result.witness.coordinate, result.witness.sign, processor_seconds() - since);
}

void attack(const certify::Layer& layer, certify::RowClass rows,
            const certify::AttackEffort& effort) {
  const std::string name = certify::to_string(rows);
  double start = processor_seconds();
  report("sup-loss." + name, certify::attack_loss(layer, rows, effort), start);
  for (const auto slot : {certify::Slot::kBos, certify::Slot::kNull}) {
    if (slot == certify::Slot::kNull && !layer.has_null_slot()) continue;
    for (const bool greatest : {false, true}) {
      start = processor_seconds();
      const std::string what = slot == certify::Slot::kNull ? "null-" : "bos-";
      report(what + (greatest ? "ceiling." : "floor.") + name,
             certify::attack_attention(layer, rows, {slot, 0, greatest}, effort), start);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    fmt::print(stderr, "usage: {} MODEL [RESTARTS [SEED]]\n", argv[0]);
    return 2;
  }
  const auto model = model::load(argv[1], {});
  if (!model || model->layers.size() != 1 || model->residual) {
    fmt::print(stderr, "{}: no model of one layer without residual connection\n", argv[1]);
    return 2;
  }
  certify::AttackEffort effort;
  if (argc > 2) effort.restarts = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) effort.seed = std::strtoull(argv[3], nullptr, 10);
  const certify::Layer layer = certify::make_layer(*model);
  for (const auto rows :
       {certify::RowClass::kPre, certify::RowClass::kTrigger, certify::RowClass::kPost}) {
    if (rows != certify::RowClass::kPost || layer.length() > 3) attack(layer, rows, effort);
  }
}

#include "reproduce/reproduce.hpp"

#include <utility>

#include "accept/accept.hpp"
#include "certificate/checkpoint.hpp"
#include "measure/share_certificate.hpp"
#include "measure/token_rows.hpp"
#include "reproduce/figures.hpp"
#include "reproduce/sample_file.hpp"

namespace sinkproof::reproduce {
namespace {

using exact::fail;
using exact::Result;

constexpr std::size_t kMaxRows =
    65536;  // of drawn sequences together, as in `sinkproof sink-share`

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  Result<Reproduction> finish() {
    if (auto made = folder_.make("figures"); !made) return tl::unexpected(made.error());
    report::Options page;
    std::vector<report::Input> inputs;
    for (const Variant& variant : options_.variants) {
      if (auto done = add(variant, page, inputs); !done) return tl::unexpected(done.error());
      if (folder_.interrupted()) return std::move(result_);
    }
    auto written = folder_.update("table.json", table_json(result_.lines).dump(2) + "\n");
    page.tables = {page_table(result_.lines, options_.draw)};
    if (written) written = folder_.write_page(inputs, page);
    if (!written) return tl::unexpected(written.error());
    return std::move(result_);
  }

 private:
  // Everything of one model.
  Result<void> add(const Variant& variant, report::Options& page,
                   std::vector<report::Input>& inputs) {
    const auto trained = folder_.train_or_load(variant.name, training(variant));
    if (!trained) return tl::unexpected(trained.error());
    if (folder_.interrupted()) return {};
    const auto sample = sample_or_read(variant.name, trained->model);
    if (!sample) return tl::unexpected(sample.error());
    for (report::Figure& figure : figures(variant, *sample)) {
      if (auto drawn = folder_.update("figures/" + figure.name + ".svg", figure.svg); !drawn) {
        return drawn;
      }
      page.figures.push_back(std::move(figure));
    }
    const auto certificates = certificates_of(variant, *trained);
    if (!certificates) return tl::unexpected(certificates.error());
    for (BosLine& line : bos_lines(variant.name, *sample, *certificates)) {
      result_.lines.push_back(std::move(line));
    }
    inputs.insert(inputs.end(), certificates->begin(), certificates->end());
    return {};
  }

  [[nodiscard]] train::Options training(const Variant& variant) const {
    const train::Pace pace = train::usual_pace(variant.shape);
    train::Options training;
    training.shape = variant.shape;
    training.lr = pace.lr;
    training.max_steps = pace.max_steps;
    training.seed = options_.draw.seed;
    return training;
  }

  Result<AttentionSample> sample_or_read(const std::string& variant,
                                         const model::AttentionModel& model) {
    const std::string name = variant + ".sample.json";
    if (auto there = read_sample(folder_.stored(name), model, options_.draw)) {
      return std::move(*there);
    }
    const auto count = static_cast<double>(options_.draw.sequences);
    auto sample = sample_attention(model, options_.draw, options_.jobs, [&](std::size_t done) {
      folder_.tell(variant + ": attention on random sequences", static_cast<double>(done) / count);
    });
    if (!sample) return sample;
    const auto written = folder_.write(name, json::canonical(sample_json(*sample)) + "\n");
    if (!written) return tl::unexpected(written.error());
    return sample;
  }

  // The certificates of a model that are there in the end, with what the checker says of them.
  Result<std::vector<report::Input>> certificates_of(const Variant& variant,
                                                     const Trained& trained) {
    std::vector<report::Input> inputs;
    for (const bool over_box : {false, true}) {
      if (folder_.interrupted()) break;
      const std::string name = variant.name + (over_box ? ".box.json" : ".drawn.json");
      const auto is_wanted = [&](const json::Value& value, const std::string& claim_hash) {
        return is_of(value, trained.model, claim_hash, over_box);
      };
      RunFolder::Make make = [&](const std::string& claim_hash) {
        return over_box ? over_the_box(variant, trained, claim_hash)
                        : on_drawn(variant.name, trained, claim_hash);
      };
      if (over_box && variant.shape.layers > 1 && !options_.certify_stacks) make = nullptr;
      auto input = folder_.certificate(name, is_wanted, make);
      if (!input) return tl::unexpected(input.error());
      if (*input) inputs.push_back(std::move(**input));
    }
    return inputs;
  }

  // Whether a stored certificate is the one this run would make, as far as it says.
  [[nodiscard]] bool is_of(const json::Value& value, const model::AttentionModel& model,
                           const std::string& claim_hash, bool over_box) const {
    const auto stated = certificate::read_checkpoint(value);
    if (!stated || stated->model.sha256 != model.sha256 || stated->claim_sha256 != claim_hash ||
        stated->over_box != over_box) {
      return false;
    }
    return over_box || (stated->inputs && stated->inputs->count == kDrawn &&
                        stated->inputs->seed == options_.draw.seed);
  }

  [[nodiscard]] Result<json::Value> on_drawn(const std::string& variant, const Trained& trained,
                                             const std::string& claim_hash) const {
    measure::TokenSource source;
    source.random = kDrawn;
    source.seed = options_.draw.seed;
    const auto tokens = measure::read_token_rows(source, trained.model, kMaxRows);
    if (!tokens) return tl::unexpected(tokens.error());
    const measure::ShareRequest request{
        trained.model, source,          *tokens,   exact::make_rational(3, 10), 1,
        options_.jobs, {trained.bytes}, claim_hash};
    const auto share =
        measure::certified_share(request, accept::ask_about_checkpoint, [&](std::size_t done) {
          folder_.tell(variant + ": enclosing attention on drawn sequences",
                       static_cast<double>(done) / static_cast<double>(kDrawn));
        });
    if (!share) return tl::unexpected(share.error());
    return share->certificate;
  }

  [[nodiscard]] Result<json::Value> over_the_box(const Variant& variant, const Trained& trained,
                                                 const std::string& claim_hash) const {
    certify::Options search;
    search.seed = options_.draw.seed;
    search.claim_hash = claim_hash;
    search.stack.every_head = variant.shape.layers > 1;
    return folder_.over_the_box(variant.name, trained, search);
  }

  const Options& options_;
  Reproduction result_;
  RunFolder folder_{options_, result_};
};

}  // namespace

Result<Reproduction> reproduce(const Options& options) { return Run(options).finish(); }

}  // namespace sinkproof::reproduce

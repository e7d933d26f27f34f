#include "reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/checkpoint.hpp"
#include "certificate/envelope.hpp"
#include "certify/accepted.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "measure/share_certificate.hpp"
#include "measure/token_rows.hpp"
#include "report/input_reading.hpp"
#include "report/page.hpp"
#include "reproduce/figures.hpp"
#include "reproduce/sample_file.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::reproduce {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;

constexpr std::size_t kMaxRows = 65536;  // of drawn sequences together, as in `sinkproof measure`

// A trained model with the bytes of its file.
struct Trained {
  model::AttentionModel model;
  std::string bytes;
};

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  Result<Reproduction> finish() {
    std::error_code error;
    fs::create_directories(options_.folder / "figures", error);
    if (error)
      return fail("SP0203", options_.folder.string(), "cannot be made: " + error.message());
    report::Options page;
    std::vector<report::Input> inputs;
    for (const Variant& variant : options_.variants) {
      if (auto done = add(variant, page, inputs); !done) return tl::unexpected(done.error());
      if (interrupted()) return std::move(result_);
    }
    auto written = update("table.json", table_json(result_.lines).dump(2) + "\n");
    if (written) written = write_page(inputs, page);
    if (!written) return tl::unexpected(written.error());
    return std::move(result_);
  }

 private:
  [[nodiscard]] fs::path path(const std::string& name) const { return options_.folder / name; }

  void tell(const std::string& doing, double share) const {
    if (options_.progress) options_.progress(doing, share);
  }

  bool interrupted() {
    if (options_.interrupted != nullptr && options_.interrupted->load()) result_.interrupted = true;
    return result_.interrupted;
  }

  // What is put together of other files each time: nothing where the file holds these bytes.
  Result<void> update(const std::string& name, const std::string& bytes) {
    if (const auto there = file::read(path(name)); there && *there == bytes) return {};
    return write(name, bytes);
  }

  Result<void> write(const std::string& name, const std::string& bytes) {
    if (auto written = file::replace(path(name), bytes); !written) return written;
    result_.made.push_back(name);
    return {};
  }

  // A JSON file that is there; null where there is none that can be read.
  [[nodiscard]] json::Value stored(const std::string& name) const {
    const auto bytes = file::read(path(name));
    if (!bytes) return nullptr;
    auto value = json::parse_strict(*bytes, name);
    return value ? std::move(*value) : json::Value();
  }

  // Everything of one model.
  Result<void> add(const Variant& variant, report::Options& page,
                   std::vector<report::Input>& inputs) {
    const auto trained = train_or_load(variant);
    if (!trained) return tl::unexpected(trained.error());
    if (interrupted()) return {};
    const auto sample = sample_or_read(variant.name, trained->model);
    if (!sample) return tl::unexpected(sample.error());
    for (report::Figure& figure : figures(variant, *sample)) {
      if (auto drawn = update("figures/" + figure.name + ".svg", figure.svg); !drawn) return drawn;
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

  Result<Trained> train_or_load(const Variant& variant) {
    const std::string name = variant.name + ".safetensors";
    const bool unfinished = fs::exists(train::resume_path(path(name)));
    if (unfinished || !fs::exists(path(name))) {
      if (auto trained = train(variant, unfinished); !trained) {
        return tl::unexpected(trained.error());
      }
      result_.made.push_back(name);
      if (result_.interrupted) return Trained{};
    }
    auto bytes = file::read(path(name));
    if (!bytes) return tl::unexpected(bytes.error());
    if (auto same = same_run(variant, *bytes, name); !same) return tl::unexpected(same.error());
    auto model = model::read(*bytes, name, {});
    if (!model) return tl::unexpected(model.error());
    return Trained{std::move(*model), std::move(*bytes)};
  }

  Result<void> train(const Variant& variant, bool resume) {
    const train::Pace pace = train::usual_pace(variant.shape);
    train::Options training;
    training.shape = variant.shape;
    training.lr = pace.lr;
    training.max_steps = pace.max_steps;
    training.seed = options_.draw.seed;
    training.jobs = options_.jobs;
    training.output = path(variant.name + ".safetensors");
    training.resume = resume;
    training.interrupted = options_.interrupted;
    training.progress = [&](const train::Progress& now) {
      tell(fmt::format("{}: training, step {}, L-inf {:.3g}", variant.name, now.step, now.linf),
           static_cast<double>(now.step) / static_cast<double>(pace.max_steps));
    };
    const auto trained = train::train(training);
    if (!trained) return tl::unexpected(trained.error());
    result_.interrupted = trained->outcome == train::Outcome::kInterrupted;
    return {};
  }

  // Whether a checkpoint says it was trained as this variant is.
  [[nodiscard]] Result<void> same_run(const Variant& variant, const std::string& bytes,
                                      const std::string& name) const {
    const auto contents = safetensors::parse(bytes, name);
    if (!contents) return tl::unexpected(contents.error());
    const train::Shape& shape = variant.shape;
    const std::map<std::string, std::string> wanted = {
        {"attention", certificate::to_string(shape.attention)},
        {"d_model", std::to_string(shape.d_model)},
        {"num_heads", std::to_string(shape.heads)},
        {"num_layers", std::to_string(shape.layers)},
        {"seq_len", std::to_string(shape.length)},
        {"residual", shape.residual ? "true" : "false"},
        {"seed", std::to_string(options_.draw.seed)}};
    for (const auto& [key, value] : wanted) {
      const auto said = contents->metadata.find(key);
      if (said != contents->metadata.end() && said->second == value) continue;
      return fail("SP1801", path(name).string(),
                  "is of another run: its " + key + " is not " + value +
                      ". Choose another folder, or delete it");
    }
    return {};
  }

  Result<AttentionSample> sample_or_read(const std::string& variant,
                                         const model::AttentionModel& model) {
    const std::string name = variant + ".sample.json";
    if (auto there = read_sample(stored(name), model, options_.draw)) return std::move(*there);
    const auto count = static_cast<double>(options_.draw.sequences);
    auto sample = sample_attention(model, options_.draw, options_.jobs, [&](std::size_t done) {
      tell(variant + ": attention on random sequences", static_cast<double>(done) / count);
    });
    if (!sample) return sample;
    const auto written = write(name, json::canonical(sample_json(*sample)) + "\n");
    if (!written) return tl::unexpected(written.error());
    return sample;
  }

  // The certificates of a model that are there in the end, with what the checker says of them.
  Result<std::vector<report::Input>> certificates_of(const Variant& variant,
                                                     const Trained& trained) {
    std::vector<report::Input> inputs;
    check::Options checking;
    checking.models = options_.folder;
    checking.claims = options_.claims;
    const bool box = variant.shape.layers == 1 || options_.certify_stacks;
    for (const char* kind : {"drawn", "box"}) {
      const std::string name = variant.name + "." + kind + ".json";
      const bool over_box = kind == std::string_view("box");
      const auto hash = accept::claim_text_hash("checkpoint", options_.claims, path(name));
      if (!hash) return tl::unexpected(hash.error());
      if (interrupted()) break;
      if (!is_of(stored(name), trained.model, *hash, over_box)) {
        if (over_box && !box) continue;
        const auto made = over_box ? over_the_box(variant, trained, *hash)
                                   : on_drawn(variant.name, trained, *hash);
        if (!made) {
          result_.lacks.push_back(made.error());
          result_.lacks.back().where = name;
          continue;
        }
        if (auto written = write(name, certificate::certificate_bytes(*made)); !written) {
          return tl::unexpected(written.error());
        }
      }
      tell(variant.name + ": checking " + name, 0);
      inputs.push_back(report::read_input(path(name), checking));
      result_.checked.insert(inputs.back().outcome.exit_code);
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
          tell(variant + ": enclosing attention on drawn sequences",
               static_cast<double>(done) / static_cast<double>(kDrawn));
        });
    if (!share) return tl::unexpected(share.error());
    if (share->certificate.is_null()) return fail("SP0905", variant, share->evidence());
    return share->certificate;
  }

  [[nodiscard]] Result<json::Value> over_the_box(const Variant& variant, const Trained& trained,
                                                 const std::string& claim_hash) const {
    certify::Options search;
    search.seed = options_.draw.seed;
    search.jobs = options_.jobs;
    search.claim_hash = claim_hash;
    search.stack.every_head = variant.shape.layers > 1;
    search.stack.seconds = options_.seconds;
    search.progress = [&](const std::string& doing, double share) {
      tell(variant.name + ": " + doing, share);
    };
    const auto made =
        certify::certify_accepted(trained.model, search, [&](const json::Value& certificate) {
          return accept::ask_about_checkpoint(certificate, {trained.bytes});
        });
    if (!made) return tl::unexpected(made.error());
    return made->certificate;
  }

  Result<void> write_page(const std::vector<report::Input>& inputs, report::Options& page) {
    if (inputs.empty()) return {};  // a page is made of certificates
    page.claims = options_.claims;
    page.tables = {page_table(result_.lines, options_.draw)};
    const auto html = report::html(inputs, page);
    if (!html) return tl::unexpected(html.error());
    return update("page.html", *html);
  }

  const Options& options_;
  Reproduction result_;
};

}  // namespace

Result<Reproduction> reproduce(const Options& options) { return Run(options).finish(); }

}  // namespace sinkproof::reproduce

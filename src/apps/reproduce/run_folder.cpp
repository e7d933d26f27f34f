#include "reproduce/run_folder.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/envelope.hpp"
#include "certify/accepted.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"
#include "report/input_reading.hpp"
#include "safetensors/safetensors.hpp"
#include "train/state.hpp"

namespace sinkproof::reproduce {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;

// Whether a checkpoint says it was trained as it is now asked to be; where training does not stop
// early, also for as long.
Result<void> same_run(const train::Options& training, const std::string& bytes,
                      const std::string& where) {
  const auto contents = safetensors::parse(bytes, where);
  if (!contents) return tl::unexpected(contents.error());
  std::map<std::string, std::string> wanted = train::run_metadata(training);
  if (training.stop_linf == 0) wanted["steps"] = std::to_string(training.max_steps);
  for (const char* optional : {"weight_decay", "bos_penalty", "initial"}) wanted[optional];
  for (const auto& [key, value] : wanted) {
    const auto said = contents->metadata.find(key);
    if ((said == contents->metadata.end() ? "" : said->second) == value) continue;
    return fail("SP1801", where,
                "belongs to another run: its " + key + " is not " +
                    (value.empty() ? "absent" : value) + ". Choose another folder, or delete it");
  }
  return {};
}

}  // namespace

Result<void> RunFolder::make(const char* inner) {
  std::error_code error;
  fs::create_directories(options_.folder / inner, error);
  if (error) return fail("SP0203", options_.folder.string(), "cannot be made: " + error.message());
  return {};
}

bool RunFolder::interrupted() {
  if (options_.interrupted != nullptr && options_.interrupted->load()) done_.interrupted = true;
  return done_.interrupted;
}

Result<void> RunFolder::update(const std::string& name, const std::string& bytes) {
  if (const auto there = file::read(path(name)); there && *there == bytes) return {};
  return write(name, bytes);
}

Result<void> RunFolder::write(const std::string& name, const std::string& bytes) {
  if (auto written = output::replace(path(name), bytes); !written) return written;
  done_.made.push_back(name);
  return {};
}

json::Value RunFolder::stored(const std::string& name) const {
  const auto bytes = file::read(path(name));
  if (!bytes) return nullptr;
  auto value = json::parse_strict(*bytes, name);
  return value ? std::move(*value) : json::Value();
}

Result<Trained> RunFolder::train_or_load(const std::string& name, train::Options training) {
  const std::string file = name + ".safetensors";
  training.output = path(file);
  training.resume = fs::exists(train::resume_path(training.output));
  if (training.resume || !fs::exists(training.output)) {
    if (auto trained = train(name, training); !trained) return tl::unexpected(trained.error());
    done_.made.push_back(file);
    if (done_.interrupted) return Trained{};
  }
  auto bytes = file::read(path(file));
  if (!bytes) return tl::unexpected(bytes.error());
  const auto same = same_run(training, *bytes, path(file).string());
  if (!same) return tl::unexpected(same.error());
  auto model = model::read(*bytes, file, {});
  if (!model) return tl::unexpected(model.error());
  return Trained{std::move(*model), std::move(*bytes)};
}

Result<void> RunFolder::train(const std::string& name, train::Options training) {
  training.jobs = options_.jobs;
  training.interrupted = options_.interrupted;
  training.progress = [&](const train::Progress& now) {
    tell(fmt::format("{}: training, step {}, L-inf {:.3g}", name, now.step, now.linf),
         static_cast<double>(now.step) / static_cast<double>(training.max_steps));
  };
  const auto trained = train::train(training);
  if (!trained) return tl::unexpected(trained.error());
  done_.interrupted = trained->outcome == train::Outcome::kInterrupted;
  return {};
}

Result<std::optional<report::Input>> RunFolder::certificate(const std::string& name,
                                                            const IsOf& is_of, const Make& make,
                                                            const char* claim) {
  const auto hash = accept::claim_text_hash(claim, options_.claims, path(name));
  if (!hash) return tl::unexpected(hash.error());
  if (!is_of(stored(name), *hash)) {
    if (!make) return std::nullopt;
    const auto made = make(*hash);
    if (!made) {
      done_.lacks.push_back(made.error());
      done_.lacks.back().where = name;
      return std::nullopt;
    }
    if (auto written = write(name, certificate::certificate_bytes(*made)); !written) {
      return tl::unexpected(written.error());
    }
  }
  tell("checking " + name, 0);
  check::Options checking;
  checking.models = options_.folder;
  checking.claims = options_.claims;
  report::Input input = report::read_input(path(name), checking);
  done_.checked.insert(input.outcome.exit_code);
  return input;
}

Result<json::Value> RunFolder::over_the_box(const std::string& name, const Trained& trained,
                                            certify::Options search) const {
  search.jobs = options_.jobs;
  search.stack.seconds = options_.seconds;
  search.progress = [&](const std::string& doing, double share) {
    tell(name + ": " + doing, share);
  };
  const auto made =
      certify::certify_accepted(trained.model, search, [&](const json::Value& certificate) {
        return accept::ask_about_checkpoint(certificate, {trained.bytes});
      });
  if (!made) return tl::unexpected(made.error());
  return made->certificate();
}

Result<void> RunFolder::write_page(const std::vector<report::Input>& inputs, report::Options page) {
  if (inputs.empty()) return {};
  page.claims = options_.claims;
  const auto html = report::html(inputs, page);
  if (!html) return tl::unexpected(html.error());
  return update("page.html", *html);
}

}  // namespace sinkproof::reproduce

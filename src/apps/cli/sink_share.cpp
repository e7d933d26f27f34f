#include "cli/sink_share.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "certificate/envelope.hpp"
#include "cli/digits.hpp"
#include "cli/measure_options.hpp"
#include "cli/verbs.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "measure/share_certificate.hpp"
#include "measure/targets.hpp"
#include "model/attention_model.hpp"
#include "output/replace.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using exact::Result;

struct ShareArguments {
  Common common;
  measure::RunRequest request;
  std::string epsilon;
  std::size_t position = 1;  // of the key, from 1
  std::string output;
  std::optional<std::string> claims;
};

constexpr std::size_t kMaxRows = 65536;
constexpr const char* kEvidence = "enclosed, and accepted by the trusted checker";

json::Value enclosure_json(const exact::Rational& lower, const exact::Rational& upper) {
  return {{"lower", rounded::decimal_down(lower, kReadoutDigits)},
          {"upper", rounded::decimal_up(upper, kReadoutDigits)}};
}

std::string range_text(const exact::Rational& lower, const exact::Rational& upper) {
  const std::string from = rounded::decimal_down(lower, kShownDigits);
  const std::string to = rounded::decimal_up(upper, kShownDigits);
  return from == to ? from : from + " .. " + to;
}

std::string count_text(std::size_t certain, std::size_t possible, std::size_t total) {
  if (certain == possible) return fmt::format("{} of {}", certain, total);
  return fmt::format("{} to {} of {}", certain, possible, total);
}

json::Value tokens_json(const measure::TokenSource& source, const measure::TokenRows& tokens) {
  if (!source.file.empty()) return {{"sha256", tokens.sha256}, {"tensor", tokens.tensor}};
  return {
      {"random", source.random}, {"seed", source.seed}, {"generator", measure::kRandomGenerator}};
}

json::Value head_json(const measure::SinkShare& share, std::size_t layer, std::size_t head) {
  const measure::HeadShare one = measure::head_share(share, layer, head);
  return {{"layer", layer},
          {"head", head},
          {"smallest_alpha", enclosure_json(one.smallest.lower, one.smallest.upper)},
          {"largest_alpha", enclosure_json(one.largest.lower, one.largest.upper)},
          {"certain", one.certain},
          {"possible", one.possible}};
}

json::Value report_json(const ShareArguments& arguments, const model::AttentionModel& model,
                        const measure::TokenRows& tokens,
                        const measure::CertifiedShare& certified) {
  const measure::SinkShare& share = certified.share;
  json::Value heads = json::Value::array();
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    for (std::size_t h = 0; h < model.num_heads; ++h) heads.push_back(head_json(share, l, h));
  }
  json::Value sink = enclosure_json(share.lower(), share.upper());
  sink["certain"] = share.certain;
  sink["possible"] = share.possible;
  sink["total"] = share.total;
  return {{"schema", 1},
          {"property", "sink-share"},
          {"semantics", "real"},
          {"verdict", "enclosed"},
          {"evidence", kEvidence},
          {"certificate", arguments.output.empty() ? json::Value() : json::Value(arguments.output)},
          {"model",
           {{"sha256", model.sha256},
            {"attention", to_string(model.attention)},
            {"d_model", model.d_model},
            {"num_layers", model.layers.size()},
            {"num_heads", model.num_heads},
            {"residual", model.residual},
            {"scale", exact::to_string(model.scale)},
            {"overrides", model.overrides},
            {"unread_metadata", model.unread}}},
          {"tokens", tokens_json(arguments.request.source(), tokens)},
          {"samples", share.alphas.size()},
          {"length", tokens.length},
          {"position", share.position},
          {"epsilon", exact::to_string(share.epsilon)},
          {"bits", share.bits},
          {"sink_share", std::move(sink)},
          {"heads", std::move(heads)}};
}

void print_text(const model::AttentionModel& model, const measure::TokenRows& tokens,
                const measure::CertifiedShare& certified) {
  const measure::SinkShare& share = certified.share;
  const std::string epsilon = exact::to_string(share.epsilon);
  say("{}, {} of {}, d_model {}, residual {}, {}, {} of {}\n", to_string(model.attention),
      text::counted(model.layers.size(), "layer"), text::counted(model.num_heads, "head"),
      model.d_model, model.residual, certificate::scale_text(model.scale),
      text::counted(share.alphas.size(), "sequence"), text::counted(tokens.length, "token"));
  if (const auto reading = certificate::overrides_text(model.overrides); !reading.empty()) {
    say("{}\n", reading);
  }
  if (const auto unread = model::unread_text(model); !unread.empty()) say("{}\n", unread);
  say("sink share of position {}, alpha > {}: {} ({})\n", share.position, epsilon,
      range_text(share.lower(), share.upper()),
      count_text(share.certain, share.possible, share.total));
  if (share.certain != share.possible) {
    say("{} could not be separated from {} at {} bits; only the upper figure counts them\n",
        share.possible - share.certain, epsilon, share.bits);
  }
  say("{} ({} bits); semantics real\n", kEvidence, share.bits);
  say("{:>5} {:>4}  {:<24}  {:<24}  {}\n", "layer", "head", "smallest alpha", "largest alpha",
      "above");
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    for (std::size_t h = 0; h < model.num_heads; ++h) {
      const measure::HeadShare one = measure::head_share(share, l, h);
      say("{:>5} {:>4}  {:<24}  {:<24}  {}\n", l, h,
          range_text(one.smallest.lower, one.smallest.upper),
          range_text(one.largest.lower, one.largest.upper),
          count_text(one.certain, one.possible, share.alphas.size()));
    }
  }
}

Result<measure::CertifiedShare> certified_share(const ShareArguments& arguments,
                                                const model::AttentionModel& model,
                                                const std::string& bytes,
                                                const measure::TokenRows& tokens) {
  const auto epsilon = sink_threshold(arguments.epsilon);
  if (!epsilon) return tl::unexpected(epsilon.error());
  const auto hash = accept::claim_text_hash("checkpoint", arguments.claims, arguments.output);
  if (!hash) return tl::unexpected(hash.error());
  const measure::TokenSource source = arguments.request.source();
  measure::ShareRequest asked{
      model,   source, tokens, *epsilon, arguments.position, arguments.common.threads(),
      {bytes}, *hash};
  if (!source.file.empty()) {
    auto given = file::read(source.file);
    if (!given) return tl::unexpected(given.error());
    asked.files.push_back(std::move(*given));
  }
  const std::size_t samples = tokens.rows.rows() / tokens.length;
  ProgressLine line(arguments.common.quiet);
  return measure::certified_share(asked, accept::ask_about_checkpoint, [&](std::size_t done) {
    line.show_steady("enclosing attention",
                     static_cast<double>(done) / static_cast<double>(samples));
  });
}

Result<int> run_sink_share(const ShareArguments& arguments) {
  const measure::RunRequest& request = arguments.request;
  if ((request.random != 0) == !request.tokens.empty()) {
    return exact::fail("SP1507", request.file,
                       "the sink share is measured on sequences; give exactly one of --random N "
                       "and --tokens FILE");
  }
  const auto bytes = file::read(request.file);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto model = measure::read_model(request, *bytes);
  if (!model) return tl::unexpected(model.error());
  const auto tokens = measure::read_token_rows(request.source(), *model, kMaxRows);
  if (!tokens) return tl::unexpected(tokens.error());
  const auto share = certified_share(arguments, *model, *bytes, *tokens);
  if (!share) return tl::unexpected(share.error());
  if (!arguments.output.empty()) {
    auto written =
        output::replace(arguments.output, certificate::certificate_bytes(share->certificate));
    if (!written) return tl::unexpected(written.error());
  }
  if (arguments.common.json()) {
    say_json(report_json(arguments, *model, *tokens, *share));
  } else if (!arguments.common.quiet) {
    print_text(*model, *tokens, *share);
  }
  return kOk;
}

}  // namespace

Result<exact::Rational> sink_threshold(const std::string& text) {
  auto epsilon = exact::parse_rational(text);
  if (!epsilon) epsilon = exact::parse_decimal(text);
  if (epsilon && *epsilon > 0 && *epsilon <= 1) return *epsilon;
  return exact::fail(
      "SP1509", "--epsilon " + text.substr(0, 40),
      "must be above 0 and at most 1; give a decimal such as 0.3 or a rational such as 1/3");
}

void add_sink_threshold(const Command& command, std::string& epsilon, std::size_t& position) {
  epsilon = "0.3";
  position = 1;
  command.add_option("--epsilon", epsilon, "Average attention above which a head counts as a sink")
      .capture_default_str();
  command.add_option("--position", position, "Position whose attention is measured, from 1")
      .between(std::uint64_t{1}, kMostIndex)
      .capture_default_str();
}

void add_sink_share(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "sink-share",
      "Count the heads of a checkpoint that attend to one position on given sequences");
  const auto arguments = std::make_shared<ShareArguments>();
  command.group("Model");
  command.add_option("file", arguments->request.file, "The checkpoint")
      .required()
      .path(output::Use::kReads)
      .type_name("FILE.safetensors");
  add_reading(command, arguments->request);
  command.group("Inputs");
  command
      .add_option("--tensor", arguments->request.tensor,
                  "Tensor [T, d] of --tokens (default: the file's only matrix)")
      .only_where([arguments] { return !arguments->request.tokens.empty(); },
                  "needs --tokens FILE");
  add_sequences(command, arguments->request);
  command.group("Properties");
  add_sink_threshold(command, arguments->epsilon, arguments->position);
  command.group("Output");
  command.add_option("-o,--output", arguments->output, "Certificate to write")
      .path(output::Use::kWrites);
  add_claims(command, arguments->claims);
  add_common(command, arguments->common);
  command.example("sinkproof sink-share model.safetensors --random 8 -o share.json");
  command.example("sinkproof sink-share model.safetensors --tokens rows.safetensors --epsilon 1/2");
  command.callback([arguments, &exit_code] {
    const auto done = run_sink_share(*arguments);
    exit_code = done ? *done : refused(done.error());
  });
}

}  // namespace sinkproof::cli

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "language_training/pass.hpp"
#include "language_training/run.hpp"
#include "train/kernels.hpp"

namespace sinkproof::language_training {
namespace {

using exact::fail;

template <typename T>
std::optional<exact::Error> outside(const char* name, T value, T least, T most) {
  if (value >= least && value <= most) return std::nullopt;
  return exact::Error{"SP2302", name, fmt::format("{} must be from {} to {}", value, least, most)};
}

std::optional<exact::Error> bad_size(const Decoder& decoder) {
  using Size = std::uint64_t;
  for (const auto& error : {outside<Size>("width", decoder.width, 16, 1024),
                            outside<Size>("heads", decoder.heads, 1, 64),
                            outside<Size>("layers", decoder.layers, 1, kMostLayers),
                            outside<Size>("length", decoder.length, 2, 1024),
                            outside<Size>("window", decoder.window, 0, decoder.length - 1),
                            outside<Size>("prefix", decoder.prefix, 0, decoder.length - 1),
                            outside<Size>("fixed", decoder.fixed, 0, decoder.length)}) {
    if (error) return error;
  }
  if (decoder.width % kPadding != 0 || decoder.width % decoder.heads != 0) {
    return exact::Error{"SP2302", "width",
                        fmt::format("{} must be a multiple of 16 and of the number of heads, {}",
                                    decoder.width, decoder.heads)};
  }
  if (decoder.positions.rotary && decoder.head_width() % 2 != 0) {
    return exact::Error{
        "SP2302", "positions",
        fmt::format("rotary needs an even head width, but width {} and heads {} give {}; choose "
                    "other positions or another number of heads",
                    decoder.width, decoder.heads, decoder.head_width())};
  }
  if (decoder.slot_value.norm != 0 && !decoder.kind.fixed_slot_value()) {
    return exact::Error{"SP2302", "slot-value",
                        fmt::format("{} has no slot with a fixed value; choose --slot-value 0, or "
                                    "--attention softmax-key-bias",
                                    decoder.kind.name)};
  }
  if (decoder.slot_dims != 0 && !decoder.kind.slot_key()) {
    return exact::Error{"SP2302", "slot-dims",
                        fmt::format("{} has no slot with a learned key; choose --slot-dims 0, or "
                                    "--attention softmax-key-bias",
                                    decoder.kind.name)};
  }
  if (auto error = outside<Size>("slot-dims", decoder.slot_dims, 0, decoder.head_width())) {
    return error;
  }
  if (auto error = outside<double>("scale", decoder.scale, 1e-3, 1e3)) return error;
  if (decoder.fixed != 0 && decoder.bos) {
    return exact::Error{"SP2302", "fixed", "cannot be combined with --bos; leave one out"};
  }
  if (decoder.window != 0 && decoder.prefix != 0) {
    return exact::Error{"SP2302", "window", "cannot be combined with a prefix; leave one out"};
  }
  if (auto error = outside<Size>("parameters", parameter_count(decoder), 1, 1U << 26U)) {
    return error;
  }
  return outside<Size>("floats to work in", scratch_floats(decoder, 1), 1, 1U << 28U);
}

std::optional<exact::Error> bad_number(const char* name, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return std::nullopt;
  return exact::Error{
      "SP2302", name,
      fmt::format("{} must be a finite number {} 0", value, zero_allowed ? ">=" : ">")};
}

json::Value text(double value) { return fmt::format("{}", value); }

bool read_number(const json::Value& row, const char* key, double& number) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_string()) return false;
  const auto& text = found->get_ref<const std::string&>();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

bool read_count(const json::Value& row, const char* key, std::uint64_t& number) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number_unsigned()) return false;
  number = found->get<std::uint64_t>();
  return true;
}

}  // namespace

exact::Result<void> check(const Settings& settings) {
  if (const auto error = bad_size(settings.decoder)) return tl::unexpected(*error);
  using Size = std::uint64_t;
  for (const auto& error :
       {outside<Size>("batch", settings.batch, 1, 4096),
        outside<Size>("steps", settings.steps, 1, 10'000'000),
        outside<Size>("warmup", settings.warmup, 0, 10'000'000),
        outside<Size>("measure-every", settings.measure_every, 1, 10'000'000),
        outside<Size>("random", settings.data.random.last, 0, settings.decoder.length),
        settings.data.train_bytes == 0 ? std::nullopt
                                       : outside<Size>("train-bytes", settings.data.train_bytes,
                                                       settings.decoder.length + 1, 1U << 30U),
        outside<Size>("held-out", settings.held_out, 1, 10'000),
        outside<Size>("steps by measure-every",
                      settings.steps / std::max<Size>(settings.measure_every, 1), 0, 10'000),
        outside<Size>("held-out times layers, heads and length",
                      settings.held_out * settings.decoder.layers * settings.decoder.heads *
                          settings.decoder.length,
                      1, 1U << 27U),
        bad_number("lr", settings.lr, false),
        bad_number("weight-decay", settings.weight_decay, true),
        bad_number("clip", settings.clip, true)}) {
    if (error) return tl::unexpected(*error);
  }
  if (settings.lr * settings.weight_decay >= 1) {
    return fail("SP2302", "weight-decay", "times the learning rate must be below 1");
  }
  return {};
}

exact::Result<void> check_text(const Settings& settings, const Corpus& corpus) {
  if (settings.data.train_bytes <= corpus.trained_on()) return {};
  return fail("SP2302", "train-bytes",
              fmt::format("{} must be at most {}, the nine tenths of the text that are trained on; "
                          "give more text, or 0 for all",
                          settings.data.train_bytes, corpus.trained_on()));
}

json::Value run_json(const Settings& settings, const Corpus& corpus) {
  const Decoder& decoder = settings.decoder;
  return {{"attention", std::string(decoder.kind.name)},
          {"width", decoder.width},
          {"layers", decoder.layers},
          {"heads", decoder.heads},
          {"length", decoder.length},
          {"bos", decoder.bos},
          {"window", decoder.window},
          {"prefix", decoder.prefix},
          {"positions", std::string(decoder.positions.name)},
          {"mlp", std::string(decoder.mlp.name)},
          {"fixed", decoder.fixed},
          {"random", text_of(settings.data.random)},
          {"train_bytes", settings.data.train_bytes},
          {"norm", std::string(decoder.norm.name)},
          {"norm_place", std::string(decoder.norm_place.name)},
          {"slot_value", text_of(decoder.slot_value)},
          {"slot_dims", decoder.slot_dims},
          {"scale", text(decoder.scale)},
          {"seed", settings.seed},
          {"steps", settings.steps},
          {"batch", settings.batch},
          {"lr", text(settings.lr)},
          {"warmup", settings.warmup},
          {"weight_decay", text(settings.weight_decay)},
          {"clip", text(settings.clip)},
          {"measure_every", settings.measure_every},
          {"held_out", settings.held_out},
          {"parameters", parameter_count(decoder)},
          {"text_bytes", corpus.bytes.size()},
          {"text_sha256", corpus.sha256},
          {"target", train::kernel_target()}};
}

json::Value log_json(const std::vector<Measured>& log) {
  json::Value rows = json::Value::array();
  for (const Measured& at : log) {
    rows.push_back({{"step", at.step},
                    {"batch_loss", text(at.batch_loss)},
                    {"held_out_loss", text(at.held_out_loss)},
                    {"sink_share", text(at.sink_share)},
                    {"first_weight", text(at.first_weight)},
                    {"largest_head", text(at.largest_head)},
                    {"other_share", text(at.other_share)},
                    {"other_position", at.other_position},
                    {"slot_share", text(at.slot_share)}});
  }
  return rows;
}

std::optional<std::vector<Measured>> read_log(const json::Value& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<Measured> log;
  for (const json::Value& row : value) {
    Measured& at = log.emplace_back();
    if (!row.is_object()) return std::nullopt;
    if (!read_count(row, "step", at.step) ||
        !read_count(row, "other_position", at.other_position) ||
        !read_number(row, "other_share", at.other_share) ||
        !read_number(row, "batch_loss", at.batch_loss) ||
        !read_number(row, "held_out_loss", at.held_out_loss) ||
        !read_number(row, "sink_share", at.sink_share) ||
        !read_number(row, "first_weight", at.first_weight) ||
        !read_number(row, "largest_head", at.largest_head) ||
        !read_number(row, "slot_share", at.slot_share)) {
      return std::nullopt;
    }
  }
  return log;
}

}  // namespace sinkproof::language_training

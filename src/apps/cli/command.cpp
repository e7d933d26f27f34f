#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>
#include <type_traits>

#include "cli/command_text.hpp"
#include "cli/console.hpp"

namespace sinkproof::cli {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

Option& Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::existing_folder() {
  option_->check(CLI::ExistingDirectory);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  const auto refusal = [words](const std::string& value) {
    if (std::find(words.begin(), words.end(), value) != words.end()) return std::string();
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return "must be one of " + all + ", but is " + value;
  };
  option_->check(CLI::Validator(refusal, CLI::IsMember(words).get_description()));
  return *this;
}

namespace {

// The whole text as a number. CLI11 takes "nan", and the largest integer for one that overflows.
template <typename T>
std::optional<T> number_of(const std::string& text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || error != std::errc()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

template <typename T>
void demand_range(CLI::Option& option, T least, T most) {
  std::ostringstream range;
  range << CLI::detail::type_name<T>() << " in [" << least << " - " << most << "]";
  std::ostringstream words;
  words << "must be between " << least << " and " << most << ", but is ";
  const auto refusal = [=, text = words.str()](const std::string& value) {
    const auto number = number_of<T>(value);
    return number && *number >= least && *number <= most ? std::string() : text + value;
  };
  option.check(CLI::Validator(refusal, range.str()));
}

}  // namespace

Option& Option::between(int least, int most) {
  demand_range(*option_, least, most);
  return *this;
}

Option& Option::between(std::uint64_t least, std::uint64_t most) {
  demand_range(*option_, least, most);
  return *this;
}

Option& Option::between(double least, double most) {
  demand_range(*option_, least, most);
  return *this;
}

Option& Option::check(const std::function<std::string(const std::string&)>& refusal) {
  option_->check(refusal);
  return *this;
}

Option& Option::only_where(const std::function<bool()>& is_read, const std::string& needs) {
  declared_->needs.push_back([=, option = option_]() -> exact::Result<void> {
    if (option->count() == 0 || is_read()) return {};
    return exact::fail("SP1508", option->get_name(), needs);
  });
  return *this;
}

Option& Option::path(output::Use use) {
  return path([use] { return use; });
}

Option& Option::path(const std::function<output::Use()>& use) {
  declared_->paths.push_back([use, values = values_, name = option_->get_name()] {
    std::vector<output::UsedPath> used;
    for (const std::string& value : values()) {
      if (!value.empty()) used.push_back({name, value, use()});
    }
    return used;
  });
  return *this;
}

Command Command::add_verb(const std::string& name, const std::string& description) const {
  CLI::App* verb = app_->add_subcommand(name, description);
  verb->get_help_ptr()->group(kGeneral);
  return Command(*verb);
}

Command Command::add_hidden_verb(const std::string& name, const std::string& description) const {
  return Command(*app_->add_subcommand(name, description)->group(""));
}

namespace {

std::vector<std::string> texts_of(const std::string& value) { return {value}; }
std::vector<std::string> texts_of(const std::vector<std::string>& value) { return value; }
std::vector<std::string> texts_of(const std::optional<std::string>& value) {
  return {value.value_or("")};
}
template <typename T>
std::vector<std::string> texts_of(const T& /*value*/) {
  return {};
}

// What is wrong with a value where an option holds T; "" where nothing is.
template <typename T>
std::string refusal_of(const std::string& text, const T* /*holds*/) {
  if (text.empty()) return "the value is empty; give one, or leave the option out";
  if constexpr (std::is_same_v<T, bool>) {
    return text == "true" || text == "false" ? "" : "must be true or false, but is " + text;
  } else if constexpr (std::is_arithmetic_v<T>) {
    const char* const kind = std::is_floating_point_v<T> ? "a decimal number"
                             : std::is_signed_v<T>       ? "a whole number"
                                                         : "a whole number from 0 up";
    const auto number = number_of<T>(text);
    if (!number) return std::string("must be ") + kind + ", but is " + text;
    // CLI11 reads 010 as 8.
    const bool plain = std::is_floating_point_v<T> || std::to_string(*number) == text;
    return plain ? "" : "must be written without zeros in front, but is " + text;
  } else {
    return "";
  }
}
template <typename T>
std::string refusal_of(const std::string& text, const std::vector<T>* /*holds*/) {
  return refusal_of(text, static_cast<const T*>(nullptr));
}
template <typename T>
std::string refusal_of(const std::string& text, const std::optional<T>* /*holds*/) {
  return refusal_of(text, static_cast<const T*>(nullptr));
}

}  // namespace

void Command::group(const std::string& heading) const { app_->option_defaults()->group(heading); }

// CLI11 keeps the lines as the command's footer.
bool Command::given(const std::string& option) const { return app_->count(option) > 0; }

void Command::example(const std::string& line) const {
  app_->footer(app_->get_footer() + line + "\n");
}

template <typename T>
Option Command::add_option(const std::string& names, T& value,
                           const std::string& description) const {
  CLI::Option* option = app_->add_option(names, value, description);
  option->check(
      [](const std::string& text) { return refusal_of(text, static_cast<const T*>(nullptr)); });
  return {option, [&value] { return texts_of(value); }, declared_};
}

Option Command::add_flag(const std::string& names, bool& value,
                         const std::string& description) const {
  return {app_->add_flag(names, value, description), {}, declared_};
}

void Command::callback(const std::function<void()>& run) const {
  app_->callback([run, declared = declared_] {
    for (const auto& is_met : declared->needs) {
      if (auto met = is_met(); !met) throw exact::Rejected{met.error(), kUsage};
    }
    std::vector<output::UsedPath> used;
    for (const auto& of_option : declared->paths) {
      for (output::UsedPath& each : of_option()) used.push_back(std::move(each));
    }
    if (auto fits = output::check_paths(used); !fits) {
      throw exact::Rejected{fits.error(), kUsage};
    }
    run();
  });
}

// The types an option can have.
#define SINKPROOF_OPTION(...)                                                                     \
  template Option Command::add_option(const std::string&, __VA_ARGS__& value, const std::string&) \
      const
SINKPROOF_OPTION(std::string);
SINKPROOF_OPTION(std::vector<double>);
SINKPROOF_OPTION(std::vector<std::string>);
SINKPROOF_OPTION(std::optional<std::string>);
SINKPROOF_OPTION(std::optional<bool>);
SINKPROOF_OPTION(int);
SINKPROOF_OPTION(unsigned);
SINKPROOF_OPTION(std::size_t);
SINKPROOF_OPTION(std::optional<std::size_t>);
SINKPROOF_OPTION(std::vector<std::size_t>);
SINKPROOF_OPTION(std::optional<std::vector<std::size_t>>);
SINKPROOF_OPTION(double);
SINKPROOF_OPTION(std::optional<double>);

}  // namespace sinkproof::cli

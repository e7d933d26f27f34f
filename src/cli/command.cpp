#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>

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
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::between(std::uint64_t least, std::uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::check(const std::function<std::string(const std::string&)>& refusal) {
  option_->check(refusal);
  return *this;
}

Command Command::add_verb(const std::string& name, const std::string& description) const {
  return Command(*app_->add_subcommand(name, description));
}

Command Command::add_hidden_verb(const std::string& name, const std::string& description) const {
  return Command(*app_->add_subcommand(name, description)->group(""));
}

template <typename T>
Option Command::add_option(const std::string& names, T& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}

Option Command::add_flag(const std::string& names, bool& value,
                         const std::string& description) const {
  return Option(app_->add_flag(names, value, description));
}

void Command::callback(const std::function<void()>& run) const { app_->callback(run); }

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
SINKPROOF_OPTION(std::optional<std::vector<std::size_t>>);
SINKPROOF_OPTION(double);
SINKPROOF_OPTION(std::optional<double>);

}  // namespace sinkproof::cli

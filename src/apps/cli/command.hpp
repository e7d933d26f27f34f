// What a command declares of its command line. CLI11 reads it; its header, which takes longer to
// compile than any command, is seen by command.cpp and the few files beside it that parse or
// describe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exact/error.hpp"
#include "output/paths.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sinkproof::cli {

// What is looked at when a command is run, before it does anything.
struct Declared {
  std::vector<std::function<exact::Result<void>()>> needs;
  std::vector<std::function<std::vector<output::UsedPath>()>> paths;
};

// An option of a command, as CLI11's of the same names. What `check` refuses is stated to the user
// in the text it returns; "" accepts. Every option refuses "" as its value.
class Option {
 public:
  using Values = std::function<std::vector<std::string>()>;
  Option(CLI::Option* option, Values values, std::shared_ptr<Declared> declared)
      : option_(option), values_(std::move(values)), declared_(std::move(declared)) {}

  Option& required();
  Option& type_name(const std::string& name);
  Option& capture_default_str();
  Option& one_value_each();  // --require a --require b, never --require a b
  Option& delimiter(char between);
  Option& excludes(const Option& other);
  Option& existing_folder();
  Option& one_of(const std::vector<std::string>& words);
  // The value is a number, at least `least` and at most `most`: neither "nan" nor "inf" is.
  Option& between(int least, int most);
  Option& between(std::uint64_t least, std::uint64_t most);
  Option& between(double least, double most);
  Option& check(const std::function<std::string(const std::string&)>& refusal);
  // The command reads the option only where `is_read`. Elsewhere the option is refused with SP1508
  // and this text, such as "needs --samples N", so that nothing that is given has no effect.
  Option& only_where(const std::function<bool()>& is_read, const std::string& needs);
  // The value names a file or folder: output::check_paths() looks at it before the command runs.
  // Precondition: the option holds text.
  Option& path(output::Use use);
  Option& path(const std::function<output::Use()>& use);

 private:
  CLI::Option* option_;
  Values values_;
  std::shared_ptr<Declared> declared_;
};

// A command or the whole program; a handle, copied freely. What options write to must outlive the
// parse.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app), declared_(std::make_shared<Declared>()) {}

  [[nodiscard]] Command add_verb(const std::string& name, const std::string& description) const;
  [[nodiscard]] Command add_hidden_verb(const std::string& name,
                                        const std::string& description) const;

  // The heading in --help and in the manual of the options that are added next: "Model", "Search".
  void group(const std::string& heading) const;

  // Whether the command line has the option. Only in a callback.
  [[nodiscard]] bool given(const std::string& option) const;

  // A command line that does something useful, shown by --help and by the manual. It begins with
  // "sinkproof".
  void example(const std::string& line) const;

  // T: a string, a number, or std::optional or std::vector of them, as listed in command.cpp.
  template <typename T>
  Option add_option(const std::string& names, T& value, const std::string& description) const;
  Option add_flag(const std::string& names, bool& value, const std::string& description) const;

  // Runs when the command is the one that was named. An option that would not be read, and
  // paths that do not go together, are thrown as exact::Rejected, exit code 2.
  void callback(const std::function<void()>& run) const;

  [[nodiscard]] CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
  std::shared_ptr<Declared> declared_;
};

}  // namespace sinkproof::cli

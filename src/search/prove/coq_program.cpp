#include "prove/coq_program.hpp"

#include <fmt/format.h>

#include <system_error>

#include "prove/coq_text.hpp"
#include "prove/process.hpp"

namespace sinkproof::prove {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;

constexpr Limits kLimits = {600, 900, std::uint64_t{6} << 30U};

// Coq's own choice for OCaml's collector, made for hours, touches 256 MiB in each of our short
// runs: with a nursery that fits a cache all of them take an eighth less, and no more memory.
constexpr const char* kCollector = "OCAMLRUNPARAM=s=1M,o=1000";

// The folder that holds sinkproof/META: beside the programs in a build, below lib/ once installed.
Result<fs::path> questions_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path() / ".." / "lib" / "sinkproof" / "coq";
  if (!error && fs::is_regular_file(folder / "sinkproof" / "META", error)) {
    return fs::weakly_canonical(folder, error);
  }
  return fail("SP0701", folder.string(),
              "lacks the Coq plug-in that answers questions about terms; install "
              "libcoq-core-ocaml-dev (scripts/setup.sh) and build again");
}

Result<fs::path> library_folder(const fs::path& coqc) {
  const auto outcome =
      run_program({"/usr/bin/env", "-i", "PATH=/usr/bin:/bin", coqc.string(), "-where"}, "/", {});
  if (!outcome) return tl::unexpected(outcome.error());
  const fs::path folder = outcome->output.substr(0, outcome->output.find('\n'));
  std::error_code error;
  if (folder.is_absolute() && fs::is_directory(folder / "theories", error)) return folder;
  return fail("SP0701", coqc.string(), "has no standard library; install it with scripts/setup.sh");
}

// What stands before a command that may write to `folder` only.
std::vector<std::string> sandbox_command(const std::string& bwrap, const fs::path& folder) {
  const std::string path = folder.string();
  return {"/usr/bin/env",
          "-i",
          bwrap,
          "--cap-drop",
          "ALL",
          "--ro-bind",
          "/",
          "/",
          "--dev",
          "/dev",
          "--proc",
          "/proc",
          "--unshare-all",
          "--new-session",
          "--die-with-parent",
          "--bind",
          path,
          path,
          "--chdir",
          path};
}

// bwrap's path, where it can make a sandbox here.
Result<std::string> usable_sandbox() {
  const auto bwrap = find_program("bwrap");
  if (!bwrap) {
    return fail("SP0701", "bwrap",
                "is not installed, and --sandbox needs it; run apt-get install bubblewrap, or "
                "leave --sandbox out");
  }
  auto command = sandbox_command(bwrap->string(), "/tmp");
  command.emplace_back("/bin/true");
  const auto outcome = run_program(command, "/", {});
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->exited && outcome->exit_status == 0) return bwrap->string();
  return fail("SP0701", bwrap->string(),
              "cannot make a sandbox here (" + outcome->errors.substr(0, 200) +
                  "): allow namespaces (of a container: --cap-add SYS_ADMIN --security-opt "
                  "seccomp=unconfined --security-opt apparmor=unconfined), or leave out --sandbox");
}

// coq-core lies beside the library, with a folder for each of Coq's own plugins.
void append_plugins(std::vector<std::string>& command, const fs::path& library) {
  std::error_code error;
  const fs::path plugins = library / ".." / "coq-core" / "plugins";
  for (const auto& folder : fs::directory_iterator(plugins, error)) {
    command.insert(command.end(), {"-I", folder.path().string()});
  }
}

void append_mapping(std::vector<std::string>& command, const std::string& option,
                    const CoqProgram::Mapping& mapping) {
  command.insert(command.end(), {option, mapping.first.string(), mapping.second});
}

}  // namespace

Result<CoqProgram> CoqProgram::find(bool in_sandbox) {
  const auto coqc = find_program("coqc");
  if (!coqc) return fail("SP0701", "coqc", "is not installed; install it with scripts/setup.sh");
  const auto questions = questions_folder();
  if (!questions) return tl::unexpected(questions.error());
  const auto library = library_folder(*coqc);
  if (!library) return tl::unexpected(library.error());
  CoqProgram program;
  if (in_sandbox) {
    auto sandbox = usable_sandbox();
    if (!sandbox) return tl::unexpected(sandbox.error());
    program.sandbox_ = *std::move(sandbox);
  }
  auto& command = program.command_;
  command = {"/usr/bin/env",
             "-i",
             "PATH=/usr/bin:/bin",
             "HOME=/",
             kCollector,
             "OCAMLPATH=" + questions->string(),
             coqc->string(),
             "-q",
             "-boot",
             "-w",
             "-deprecated-native-compiler-option",
             "-bytecode-compiler",
             "no",
             "-disallow-sprop",
             "-native-compiler",
             "no"};
  append_plugins(command, *library);
  append_mapping(command, "-R", {*library / "theories", "Coq"});
  for (const std::string name : {"Coquelicot", "mathcomp"}) {  // Coquelicot needs mathcomp
    append_mapping(command, "-Q", {*library / "user-contrib" / name, name});
  }
  return program;
}

Result<std::string> CoqProgram::compile(const std::string& file, const fs::path& folder,
                                        const std::vector<Mapping>& mappings,
                                        const std::string& where) const {
  std::vector<std::string> command;
  if (!sandbox_.empty()) command = sandbox_command(sandbox_, folder);
  command.insert(command.end(), command_.begin(), command_.end());
  for (const Mapping& mapping : mappings) append_mapping(command, "-Q", mapping);
  command.push_back(file);
  const auto outcome = run_program(command, folder, kLimits);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->timed_out)
    return fail("SP0710", where, "takes coqc more time than its limit; split the proof");
  if (outcome->exited && outcome->exit_status == 0) return std::string();
  return fmt::format("coqc fails: {}", fmt::join(words_at_blanks(outcome->errors), " "));
}

}  // namespace sinkproof::prove

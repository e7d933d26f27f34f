#include "sweep/share.hpp"

#include <cstdlib>
#include <string_view>

#include "text/whole.hpp"

namespace sinkproof::sweep {
namespace {

using exact::fail;
using exact::Result;

constexpr std::size_t kMost = 1'000'000;

std::optional<std::size_t> number(std::string_view digits) {
  return text::whole_number(digits, kMost);
}

// A launcher's variables. Its processes are `first`, first + step, ...
struct Launcher {
  const char* index;
  const char* count;
  const char* first;
  const char* step;
};
constexpr Launcher kArray = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
                             "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"};
constexpr Launcher kMpirun = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr, nullptr};
constexpr Launcher kSrun = {"SLURM_PROCID", "SLURM_NTASKS", nullptr, nullptr};

Result<Share> share_of(std::size_t index, std::size_t count, const std::string& from) {
  if (index < count) return Share{index, count, from};
  return fail("SP1902", from, "is not one of 1 to " + std::to_string(count) + "; give --shard K/N");
}

// Nothing where the launcher's variables are not set.
Result<std::optional<Share>> share_by(const Launcher& launcher, const Environment& environment) {
  const auto index_text = environment(launcher.index);
  const auto count_text = environment(launcher.count);
  if (!index_text || !count_text) return std::nullopt;
  const auto said = [&](const char* name, std::size_t otherwise) -> std::optional<std::size_t> {
    const auto text = name == nullptr ? std::nullopt : environment(name);
    return text ? number(*text) : otherwise;
  };
  const auto index = number(*index_text);
  const auto count = number(*count_text);
  const auto first = said(launcher.first, 0);
  const auto step = said(launcher.step, 1);
  if (!index || !count || !first || !step || *step == 0 || *index < *first ||
      (*index - *first) % *step != 0) {
    return fail("SP1902", launcher.index, "does not count from 1 to N; give --shard K/N");
  }
  const auto share = share_of((*index - *first) / *step, *count, launcher.index);
  if (!share) return tl::unexpected(share.error());
  return *share;
}

// An array's task may be a job of several processes itself. mpirun inside of a Slurm job is seen
// before the job's own numbers, which are those of its first process.
Result<Share> share_by_launcher(const Environment& environment) {
  Share all;
  for (const auto& launchers : {std::pair{&kArray, &kArray}, std::pair{&kMpirun, &kSrun}}) {
    auto share = share_by(*launchers.first, environment);
    if (share && !*share) share = share_by(*launchers.second, environment);
    if (!share) return tl::unexpected(share.error());
    if (!*share) continue;
    all = {all.index * (*share)->count + (*share)->index, all.count * (*share)->count,
           all.from + (all.from.empty() ? "" : ", ") + (*share)->from};
  }
  return all;
}

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<Share> read_share(const std::string& text, const Environment& environment) {
  if (text.empty()) return share_by_launcher(environment);
  const std::size_t slash = text.find('/');
  const std::string first = text.substr(0, slash);
  const auto count =
      slash == std::string::npos ? std::nullopt : number(std::string_view(text).substr(slash + 1));
  if (!count || *count == 0) {
    return fail("SP1902", "--shard " + text.substr(0, 40), "must be K/N, such as 2/4, or env/N");
  }
  if (first != "env") {
    // 0 wraps beyond every count.
    return share_of(number(first).value_or(0) - 1, *count, "--shard " + text.substr(0, 40));
  }
  if (const auto sequence = environment("PARALLEL_SEQ")) {
    return share_of(number(*sequence).value_or(0) - 1, *count, "PARALLEL_SEQ");
  }
  auto share = share_by_launcher(environment);
  if (!share) return share;
  if (share->from.empty()) {
    return fail("SP1902", "--shard " + text.substr(0, 40),
                "needs a launcher's variable for K, and none is set; give --shard K/N");
  }
  return share_of(share->index, *count, share->from);
}

}  // namespace sinkproof::sweep

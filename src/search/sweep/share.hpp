// At which part of a run this process begins: said by the user, or by what launched it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "exact/error.hpp"

namespace sinkproof::sweep {

struct Share {
  std::size_t index = 0;  // below `count`
  std::size_t count = 1;
  std::string from{};  // the variables that said so; "" for the user

  // Where it begins with whatever can be done in any order: the share of it that is done last.
  [[nodiscard]] double begin() const {
    return static_cast<double>(index) / static_cast<double>(count);
  }
};

// Value of an environment variable.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

// "2/4"; or "env/4", whose 2 a launcher says; or "", which leaves both to the launcher, if there is
// one. Launchers: a Slurm job array (SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT); within it Open
// MPI's mpirun (OMPI_COMM_WORLD_RANK, _SIZE), else Slurm's srun (SLURM_PROCID, SLURM_NTASKS); with
// "env/N" also GNU parallel (PARALLEL_SEQ). SP1902: none of these, or numbers that do not fit.
exact::Result<Share> read_share(const std::string& text, const Environment& environment);

}  // namespace sinkproof::sweep

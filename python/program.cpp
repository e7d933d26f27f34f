// The extension sinkproof._program: what the command line says of its options and error codes, and
// the safetensors format. What calls it is beside it, in Python.
#include "cli/program.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/error_codes.hpp"
#include "json/visible.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

namespace py = pybind11;

namespace {

using Metadata = std::map<std::string, std::string>;
// dtype as the format spells it ("F32"), shape, little-endian bytes; by name.
using Tensors =
    std::map<std::string, std::tuple<std::string, std::vector<std::uint64_t>, py::bytes>>;

py::dict option_dict(const sinkproof::cli::OptionText& option) {
  using namespace py::literals;
  using sinkproof::cli::Argument;
  return py::dict("flags"_a = option.flags, "takes_value"_a = option.argument != Argument::kNone,
                  "is_file"_a = option.argument == Argument::kFile,
                  "description"_a = option.description, "choices"_a = option.choices,
                  "range"_a = option.range, "default"_a = option.by_default,
                  "required"_a = option.required);
}

// {verb: (what it does, its options)}.
py::dict verbs() {
  py::dict verbs;
  for (const auto& verb : sinkproof::cli::verbs()) {
    py::list options;
    for (const auto& option : verb.options) options.append(option_dict(option));
    verbs[py::str(verb.name)] = py::make_tuple(verb.description, options);
  }
  return verbs;
}

// What docs/ERRORS.md says to do about an error code; "" where it has no such code.
std::string remedy(const std::string& code) {
  const auto found = sinkproof::cli::error_code(code);
  return found ? found->remedy : "";
}

[[noreturn]] void raise_error(const sinkproof::exact::Error& error) {
  const py::object type = py::module_::import("sinkproof._error").attr("Error");
  using sinkproof::json::visible;
  PyErr_SetObject(type.ptr(), type(error.code, visible(error.where), visible(error.what)).ptr());
  throw py::error_already_set();
}

std::pair<Tensors, Metadata> load(const std::string& path) {
  const auto contents = sinkproof::safetensors::read(path);
  if (!contents) raise_error(contents.error());
  Tensors tensors;
  for (const auto& [name, tensor] : contents->tensors) {
    tensors[name] = {tensor.dtype_name, tensor.shape, py::bytes(tensor.bytes)};
  }
  return {std::move(tensors), contents->metadata};
}

void save(const std::string& path, const Tensors& tensors, Metadata metadata) {
  sinkproof::safetensors::Contents contents;
  contents.metadata = std::move(metadata);
  for (const auto& [name, tensor] : tensors) {
    const auto& [dtype, shape, bytes] = tensor;
    contents.tensors[name] = {.dtype_name = dtype, .shape = shape, .bytes = bytes};
  }
  if (auto written = sinkproof::output::write(path, contents); !written) {
    raise_error(written.error());
  }
}

}  // namespace

PYBIND11_MODULE(_program, module) {
  module.attr("version") = SINKPROOF_VERSION;
  module.def("verbs", verbs);
  module.def("remedy", remedy, py::arg("code"));
  module.def("load", load, py::arg("path"));
  module.def("save", save, py::arg("path"), py::arg("tensors"), py::arg("metadata"));
}

#include "model/foreign_file.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <system_error>
#include <vector>

#include "json/visible.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::model {
namespace {

using exact::Error;
using safetensors::Contents;

constexpr const char* kExpected =
    "expected: W_Q.weight, W_K.weight, W_V.weight [H d, d] and W_O.weight [d, H d] as nn.Linear "
    "has them ([out, in]), their biases if there are any; of stacks under layers.0., layers.1. and "
    "so on";

struct Format {
  std::string_view magic;   // its first bytes
  std::string_view inside;  // what follows among the first kFirstName bytes; "" where nothing need
  std::string_view name;    // after "this is "
  std::string_view remedy;  // after it; % is the file's path in quotes
};
constexpr std::size_t kFirstName = 256;  // a zip archive's first file's name is among these bytes
constexpr std::string_view kTorch = "a torch.save file";
constexpr std::string_view kTorchLines =
    "; write safetensors with these three lines of Python (where a whole module was saved, of its "
    "state_dict()):\n"
    "    import torch; from safetensors.torch import save_file\n"
    "    state = torch.load(%, map_location=\"cpu\", weights_only=True)\n"
    "    save_file({name: value.contiguous() for name, value in state.items()}, "
    "\"model.safetensors\")";
constexpr std::string_view kPickleLines =
    "; reading one runs what is in it, so only where you trust who wrote it. Of a dictionary of "
    "arrays these lines of Python write safetensors:\n"
    "    import numpy, pickle; from safetensors.numpy import save_file\n"
    "    arrays = pickle.load(open(%, \"rb\"))\n"
    "    save_file({name: numpy.ascontiguousarray(value) for name, value in arrays.items()}, "
    "\"model.safetensors\")";

// The first that fits counts. PyTorch writes zip archives since 1.6, pickles of protocol 2 before.
constexpr Format kFormats[] = {
    {"PK\x03\x04", ".npy", "a NumPy .npz archive",
     "; these lines of Python write safetensors:\n"
     "    import numpy; from safetensors.numpy import save_file\n"
     "    arrays = numpy.load(%)\n"
     "    save_file({name: numpy.ascontiguousarray(arrays[name]) for name in arrays.files}, "
     "\"model.safetensors\")"},
    {"PK\x03\x04", "", kTorch, kTorchLines},
    {"\x80\x02", "", kTorch, kTorchLines},
    {"\x80\x03", "", "a Python pickle", kPickleLines},
    {"\x80\x04", "", "a Python pickle", kPickleLines},
    {"\x80\x05", "", "a Python pickle", kPickleLines},
    {"\x93NUMPY", "", "a NumPy .npy file, one array",
     "; these lines of Python write it as the tensor \"rows\" of a safetensors file:\n"
     "    import numpy; from safetensors.numpy import save_file\n"
     "    save_file({\"rows\": numpy.ascontiguousarray(numpy.load(%))}, \"rows.safetensors\")"},
    {"GGUF", "", "a GGUF file",
     "; these lines of Python write safetensors, of the numbers that its quantised weights stand "
     "for:\n"
     "    from gguf import GGUFReader, dequantize; from safetensors.numpy import save_file\n"
     "    tensors = {it.name: dequantize(it.data, it.tensor_type) for it in "
     "GGUFReader(%).tensors}\n"
     "    save_file(tensors, \"model.safetensors\")"},
    {"\x89HDF\r\n\x1a\n", "", "an HDF5 file",
     "; these lines of Python write safetensors, one tensor a dataset:\n"
     "    import h5py; from safetensors.numpy import save_file\n"
     "    tensors = {}\n"
     "    h5py.File(%).visititems(lambda name, it: tensors.update({name.replace(\"/\", \".\"): "
     "it[()]} if isinstance(it, h5py.Dataset) else {}))\n"
     "    save_file(tensors, \"model.safetensors\")"},
    {"version https://git-lfs.github.com/spec/", "",
     "a Git LFS pointer, not the file it stands for",
     "; in its clone, `git lfs pull` fetches that: %"},
};

std::string words_of(const Format& format, const std::string& where) {
  std::string path = "\"";
  for (const char c : where) {
    if (c == '\\' || c == '"') path += '\\';
    path += c;
  }
  path = json::visible(path) + '"';
  std::string text = "this is " + std::string(format.name) + std::string(format.remedy);
  if (const std::size_t at = text.find('%'); at != std::string::npos) text.replace(at, 1, path);
  return text;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("._-/").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  if (json::visible(word) != word) {  // Bash reads these escapes
    std::string text;
    for (const char c : word) text += (c == '\\' || c == '\'' ? "\\" : "") + std::string(1, c);
    return "$'" + json::visible(text) + "'";
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// model.safetensors -> model-converted.safetensors
std::string convert_words(const std::string& where) {
  std::filesystem::path output = std::filesystem::path(where).filename();
  if (std::filesystem::path(where).extension() != ".safetensors") output = "model.safetensors";
  return "sinkproof convert " + shell_word(where) + " -o " +
         shell_word(output.stem().string() + "-converted.safetensors");
}

// What PyTorch's own attention does: 1/sqrt of a head's width, in lowest terms where it is
// rational.
std::string usual_scale(const Contents& contents, const LayerNames& layer, std::size_t heads) {
  if (layer.tensors.at("W_Q.weight").tensor == layer.prefix + "W_Q.weight") return "1";
  const auto& shape = contents.tensors.at(layer.tensors.at("W_O.weight").tensor).shape;
  const std::uint64_t parts = shape.size() == 3 ? 1 : heads;  // each head's matrix apart, or not
  if (parts == 0 || shape.size() < 2 || shape[1] == 0 || shape[1] % parts != 0) return "1";
  const exact::Rational width = shape[1] / parts;
  const auto root = rounded::square_root(width);
  if (root.lower == root.upper) return exact::to_string(1 / root.lower);
  return shell_word("1/sqrt(" + exact::to_string(width) + ")");
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k) {
    text += (text.empty() ? "" : ", ") + json::visible(names[k].substr(0, 80));
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string map_line(const std::string& where) {
  return "name yours: " + convert_words(where) +
         " --map OLD=W_Q.weight --map OLD=W_K.weight --map OLD=W_V.weight --map OLD=W_O.weight";
}

std::string only_line(const ModelNames& names, const std::string& where) {
  std::string prefix = names.layers.front().prefix;
  return convert_words(where) + " --only " + shell_word(prefix);
}

}  // namespace

exact::Result<Contents> read_contents(std::string_view bytes, const std::string& where) {
  auto contents = safetensors::parse(bytes, where);
  const auto format = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& it) {
    return bytes.starts_with(it.magic) &&
           bytes.substr(0, kFirstName).find(it.inside) != std::string_view::npos;
  });
  if (contents || format == std::end(kFormats)) return contents;
  return exact::fail_with_lines("SP1110", where, words_of(*format, where));
}

std::string torch_save_words(const std::filesystem::path& file) {
  const auto is_torch = [](const Format& format) { return format.name == kTorch; };
  return words_of(*std::find_if(std::begin(kFormats), std::end(kFormats), is_torch), file.string());
}

std::optional<std::filesystem::path> torch_file_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const auto ending = it->path().extension();
    if (ending == ".pt" || ending == ".pth" || ending == ".bin" || ending == ".ckpt") {
      files.push_back(it->path());
    }
  }
  const auto first = std::min_element(files.begin(), files.end());
  if (first == files.end()) return std::nullopt;
  return *first;
}

std::optional<Error> why_no_model(const Contents& contents, const ModelNames& names,
                                  const std::string& where) {
  if (names.layers.empty()) {
    return Error{"SP1112", where,
                 "no attention layer found in " + names_in(contents) + "; " + kExpected + "; " +
                     map_line(where)};
  }
  if (!names.others.empty()) {
    return Error{"SP1112", where,
                 "beside attention layers (" + listed([&] {
                   std::vector<std::string> prefixes;
                   for (const LayerNames& layer : names.layers) {
                     prefixes.push_back(layer.prefix.empty() ? "without prefix" : layer.prefix);
                   }
                   return prefixes;
                 }()) +
                     ") there are tensors that are no part of one: " + listed(names.others) +
                     ". Certificates speak of attention alone; without them this would be another "
                     "model. To leave one out all the same: --map NAME=; to take one layer as a "
                     "model of its own: " +
                     only_line(names, where)};
  }
  if (names.numbered) return std::nullopt;
  return Error{"SP1112", where,
               "no number from 0 on orders its " + std::to_string(names.layers.size()) +
                   " attention layers: rename them with --map OLD=layers.0.W_Q.weight and so on, "
                   "or take one: " +
                   only_line(names, where)};
}

std::optional<Error> foreign_names(const Contents& contents, const Overrides& says,
                                   const std::string& where) {
  bool own = false;
  for (const char* name : {"W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight"}) {
    own = own || contents.tensors.contains(name) ||
          contents.tensors.contains(std::string("layers.0.") + name);
  }
  if (own) return std::nullopt;
  const ModelNames names = find_layers(contents);
  auto error = why_no_model(contents, names, where);
  if (error) {
    error->code = "SP1111";
    return error;
  }
  return Error{"SP1111", where,
               "its tensors have other names than a checkpoint's: found " + names_in(contents) +
                   "; " + kExpected + ". This converts it:\n    " +
                   convert_line(contents, names, says, where) + "\n" + kGuesses,
               true};
}

std::string convert_line(const Contents& contents, const ModelNames& names, const Overrides& says,
                         const std::string& where) {
  const auto known = [&](const char* key, const std::optional<std::string>& said,
                         const std::string& guess) {
    const auto found = contents.metadata.find(key);
    return said ? *said : found == contents.metadata.end() ? guess : found->second;
  };
  const auto number = [](const std::optional<std::size_t>& value) {
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  const auto& output =
      contents.tensors.at(names.layers.front().tensors.at("W_O.weight").tensor).shape;
  const std::string heads = known("num_heads", number(says.num_heads),
                                  output.size() == 3 ? std::to_string(output[0]) : "1");
  const bool counts = heads.size() < 4 && std::all_of(heads.begin(), heads.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  std::string line = convert_words(where) + " --attention " +
                     shell_word(known("attention", says.attention, "softmax")) + " --num-heads " +
                     shell_word(heads);
  if (names.layers.size() > 1) {
    line += " --residual " + shell_word(known("residual", std::nullopt, "true"));
  }
  const std::string usual =
      usual_scale(contents, names.layers.front(), counts ? std::stoul("0" + heads) : 0);
  const auto scale = known("scale", says.scale, "");
  line += " --scale " + (scale.empty() ? usual : shell_word(scale));
  if (says.length) line += " --length " + std::to_string(*says.length);
  return line;
}

std::string names_in(const Contents& contents) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : contents.tensors) {
    names.push_back(json::visible(name) + " " + shape_text(tensor.shape));
  }
  return names.empty() ? "no tensor at all" : listed(names);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (const std::uint64_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + "]";
}

}  // namespace sinkproof::model

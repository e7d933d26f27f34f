#include "model/foreign_file.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <system_error>
#include <vector>

#include "json/visible.hpp"
#include "model/convert.hpp"
#include "model/saved_folder.hpp"
#include "model/scale_text.hpp"

namespace sinkproof::model {
namespace {

using exact::Error;
using safetensors::Contents;

constexpr const char* kExpected =
    "expected W_Q.weight, W_K.weight, W_V.weight [H d, d] and W_O.weight [d, H d] in the layout of "
    "nn.Linear ([out, in]), and their biases if there are any; the layers of a stack have the "
    "prefixes layers.0., layers.1. and so on";

struct Format {
  std::string_view magic;   // its first bytes
  std::string_view inside;  // what follows among the first kFirstName bytes; "" where nothing need
  std::string_view name;    // after "this is "
  std::string_view remedy;  // after it; % is the file's path in quotes
};
constexpr std::size_t kFirstName = 256;  // a zip archive's first file's name is among these bytes
constexpr std::string_view kTorch = "a torch.save file";
constexpr std::string_view kTorchLines =
    "; write a safetensors file with these lines of Python (if a whole module was saved, use its "
    "state_dict()):\n    import torch; from safetensors.torch import save_file\n    state = "
    "torch.load(%, map_location=\"cpu\", weights_only=True)\n    save_file({name: "
    "value.contiguous() for name, value in state.items()}, \"model.safetensors\")\nThe Python "
    "module needs no torch for that and never runs the pickle:\n    import sinkproof; tensors, _ = "
    "sinkproof.load(%); sinkproof.save(\"model.safetensors\", tensors)";
constexpr std::string_view kPickleLines =
    "; reading a pickle runs code from it, so do this only if you trust its author. If it holds a "
    "dictionary of arrays, these lines of Python write a safetensors file:\n    import numpy, "
    "pickle; from safetensors.numpy import save_file\n    arrays = pickle.load(open(%, \"rb\"))\n  "
    "  save_file({name: numpy.ascontiguousarray(value) for name, value in arrays.items()}, "
    "\"model.safetensors\")";

// The first that fits counts. PyTorch writes zip archives since 1.6, pickles of protocol 2 before.
constexpr Format kFormats[] = {
    {"PK\x03\x04", ".npy", "a NumPy .npz archive",
     "; write a safetensors file with these lines of Python:\n    import numpy; from "
     "safetensors.numpy import save_file\n    arrays = numpy.load(%)\n    save_file({name: "
     "numpy.ascontiguousarray(arrays[name]) for name in arrays.files}, \"model.safetensors\")"},
    {"PK\x03\x04", "", kTorch, kTorchLines},
    {"\x80\x02", "", kTorch, kTorchLines},
    {"\x80\x03", "", "a Python pickle", kPickleLines},
    {"\x80\x04", "", "a Python pickle", kPickleLines},
    {"\x80\x05", "", "a Python pickle", kPickleLines},
    {"\x93NUMPY", "", "a NumPy .npy file, one array",
     "; write it as the tensor \"rows\" of a safetensors file with these lines of Python:\n    "
     "import numpy; from safetensors.numpy import save_file\n    save_file({\"rows\": "
     "numpy.ascontiguousarray(numpy.load(%))}, \"rows.safetensors\")"},
    {"GGUF", "", "a GGUF file",
     "; write its dequantised weights to a safetensors file with these lines of Python:\n    from "
     "gguf import GGUFReader, dequantize; from safetensors.numpy import save_file\n    tensors = "
     "{it.name: dequantize(it.data, it.tensor_type) for it in GGUFReader(%).tensors}\n    "
     "save_file(tensors, \"model.safetensors\")"},
    {"\x89HDF\r\n\x1a\n", "", "an HDF5 file",
     "; write each dataset as a tensor of a safetensors file with these lines of Python:\n    "
     "import h5py; from safetensors.numpy import save_file\n    tensors = {}\n    "
     "h5py.File(%).visititems(lambda name, it: tensors.update({name.replace(\"/\", \".\"): it[()]} "
     "if isinstance(it, h5py.Dataset) else {}))\n    save_file(tensors, \"model.safetensors\")"},
    {"version https://git-lfs.github.com/spec/", "",
     "a Git LFS pointer instead of the file that it stands for",
     "; run `git lfs pull` in its clone to download %"},
};

const Format* format_of(std::string_view bytes) {
  const auto format = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& it) {
    return bytes.starts_with(it.magic) &&
           bytes.substr(0, kFirstName).find(it.inside) != std::string_view::npos;
  });
  return format == std::end(kFormats) ? nullptr : format;
}

std::string words_of(const Format& format, const std::string& where) {
  std::string path = "\"";
  for (const char c : where) {
    if (c == '\\' || c == '"') path += '\\';
    path += c;
  }
  path = json::visible(path) + '"';
  std::string text = "this is " + std::string(format.name) + std::string(format.remedy);
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at)) {
    text.replace(at, 1, path);
    at += path.size();
  }
  return text;
}

}  // namespace

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

std::string audit_line(const std::filesystem::path& folder) {
  return "sinkproof audit " + shell_word(folder.empty() ? "." : folder.string()) +
         " --random 4 --length 16";
}

namespace {

// model.safetensors -> model-converted.safetensors
std::string convert_words(const std::string& where) {
  std::filesystem::path output = std::filesystem::path(where).filename();
  if (std::filesystem::path(where).extension() != ".safetensors") output = "model.safetensors";
  return "sinkproof convert " + shell_word(where) + " -o " +
         shell_word(output.stem().string() + "-converted.safetensors");
}

// What PyTorch's own attention does: 1/sqrt of a head's width.
std::string usual_scale(const Contents& contents, const LayerNames& layer, std::size_t heads) {
  if (layer.tensors.at("W_Q.weight").tensor == layer.prefix + "W_Q.weight") return "1";
  const auto& shape = contents.tensors.at(layer.tensors.at("W_O.weight").tensor).shape;
  const std::uint64_t parts = shape.size() == 3 ? 1 : heads;  // each head's matrix apart, or not
  if (parts == 0 || shape.size() < 2 || shape[1] == 0 || shape[1] % parts != 0) return "1";
  const std::string scale = "1/sqrt(" + std::to_string(shape[1] / parts) + ")";
  const auto rational = parse_scale(scale, "");
  return rational ? exact::to_string(*rational) : scale;
}

// Rows of vectors are not an attention layer, whatever they are called.
std::string map_line(const Contents& contents, const std::string& where) {
  if (contents.tensors.size() == 1 && contents.tensors.begin()->second.shape.size() == 2) {
    return " If it holds rows of vectors, measure them:\n    sinkproof measure " +
           shell_word(where);
  }
  return " If it is an attention layer, name its tensors:\n    " + convert_words(where) +
         " --map OLD=W_Q.weight --map OLD=W_K.weight --map OLD=W_V.weight --map OLD=W_O.weight";
}

constexpr const char* kGuesses =
    "The file does not state its attention, heads, residual connections and scale; what is missing "
    "is guessed, so correct it where your model differs. An irrational scale, such as 1/sqrt(8), "
    "is "
    "folded into W_Q, rounded.";

// The conversion with a guess for everything that neither it nor the file states. `contents` and
// `names` are those after its map and prefix. Precondition: names.layers is not empty.
Conversion guessed(const Contents& contents, const ModelNames& names, Conversion conversion) {
  Overrides& says = conversion.says;
  const auto unknown = [&](const char* key, bool said) {
    return !said && !contents.metadata.contains(key);
  };
  if (unknown("attention", says.attention.has_value())) says.attention = "softmax";
  const auto& query =
      contents.tensors.at(names.layers.front().tensors.at("W_Q.weight").tensor).shape;
  if (unknown("num_heads", says.num_heads.has_value())) {
    says.num_heads = query.size() == 3 ? query[0] : 1;
  }
  if (names.layers.size() > 1 && unknown("residual", says.residual.has_value())) {
    says.residual = true;
  }
  if (unknown("scale", says.scale.has_value())) {
    says.scale = usual_scale(contents, names.layers.front(), says.num_heads.value_or(0));
  }
  return conversion;
}

// "\n    sinkproof convert ...\n" + kGuesses; "" where this conversion fails, so that no message
// suggests it. `contents` is the whole file.
std::string line_that_converts(const Contents& contents, const Conversion& conversion,
                               const std::string& where) {
  if (!try_to_convert(contents, conversion, where)) return "";
  const Overrides& says = conversion.says;
  std::string line = convert_words(where);
  if (says.attention) line += " --attention " + shell_word(*says.attention);
  if (says.num_heads) line += " --num-heads " + std::to_string(*says.num_heads);
  if (says.residual) line += std::string(" --residual ") + (*says.residual ? "true" : "false");
  if (says.scale) line += " --scale " + shell_word(*says.scale);
  if (says.length) line += " --length " + std::to_string(*says.length);
  if (!conversion.only.empty()) line += " --only " + shell_word(conversion.only);
  for (const std::string& pair : conversion.map) line += " --map " + shell_word(pair);
  return "\n    " + line + "\n" + kGuesses;
}

// "" where the first layer alone cannot be converted. What else stands under its prefix, such as a
// buffer, is named and left out.
std::string only_line(const Contents& contents, const ModelNames& names, const Overrides& says,
                      const std::string& where) {
  ModelNames alone;
  alone.layers = {names.layers.front()};
  Conversion conversion = guessed(contents, alone, {says, {}, alone.layers.front().prefix});
  for (const std::string& other : names.others) {
    if (other.starts_with(conversion.only)) conversion.map.push_back(other + "=");
  }
  return line_that_converts(contents, conversion, where);
}

}  // namespace

exact::Result<Contents> read_contents(std::string_view bytes, const std::string& where) {
  auto contents = safetensors::parse(bytes, where);
  const Format* format = format_of(bytes);
  if (contents || format == nullptr) return contents;
  return exact::fail_with_lines("SP1110", where, words_of(*format, where));
}

std::string_view foreign_format(std::string_view bytes) {
  const Format* format = format_of(bytes);
  return format == nullptr ? std::string_view() : format->name;
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
                 "no attention layer found in " + names_in(contents) + "; " + kExpected + ".",
                 true};
  }
  if (!names.others.empty()) {
    std::vector<std::string> prefixes;
    for (const LayerNames& layer : names.layers) {
      prefixes.push_back(layer.prefix.empty() ? "without a prefix" : layer.prefix);
    }
    return Error{"SP1112", where,
                 "the file has attention layers (" + listed(prefixes) +
                     ") and other tensors: " + listed(names.others) +
                     ". Only attention layers are certified here; dropping the other tensors would "
                     "change the model.",
                 true};
  }
  if (names.numbered) return std::nullopt;
  return Error{
      "SP1112", where,
      "the names of its " + std::to_string(names.layers.size()) +
          " attention layers have no numbers 0, 1, ... that order them; rename the tensors "
          "with --map OLD=layers.0.W_Q.weight and so on.",
      true};
}

std::string suggestion(const std::string& code, const Contents& contents, const Contents& chosen,
                       const Conversion& conversion, const std::string& where) {
  // Which tensors to take is not guessed where a map or a prefix is given.
  const bool is_chosen = !conversion.map.empty() || !conversion.only.empty();
  if (is_chosen && code != "SP1113") return "";
  const ModelNames names = find_layers(chosen);
  const auto whole = [&](const std::string& words) {
    if (names.layers.empty()) return std::string();
    const auto line = line_that_converts(contents, guessed(chosen, names, conversion), where);
    return line.empty() ? line : words + line;
  };
  if (code == "SP1113") return whole(". For example run:");
  if (code == "SP1104")
    return whole(". If the shapes are those of nn.Linear or of narrower heads, convert it:");
  if (code != "SP1112") return "";
  const auto folder = std::filesystem::path(where).parent_path();
  const std::string audit =
      is_language_model(folder) ? " To audit a language model run:\n    " + audit_line(folder) : "";
  if (names.layers.empty()) return audit.empty() ? map_line(contents, where) : audit;
  const std::string alone = only_line(contents, names, conversion.says, where);
  return audit +
         (alone.empty() ? "" : "\nTo certify one of its layers as a model of its own run:" + alone);
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
  const Conversion as_it_is{says, {}, ""};
  if (auto error = why_no_model(contents, names, where)) {
    error->what += suggestion(error->code, contents, contents, as_it_is, where);
    error->code = "SP1111";
    return error;
  }
  const std::string what = "its tensors do not have the names of a checkpoint: found " +
                           names_in(contents) + "; " + kExpected + ". ";
  const Conversion conversion = guessed(contents, names, as_it_is);
  const std::string line = line_that_converts(contents, conversion, where);
  if (!line.empty()) return Error{"SP1111", where, what + "To convert it run:" + line, true};
  const auto made = try_to_convert(contents, conversion, where);
  return Error{"SP1111", where,
               what + "It cannot be converted with " +
                   std::to_string(conversion.says.num_heads.value_or(1)) +
                   " head(s): " + made.error().where + ": " + made.error().what};
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

std::string names_in(const Contents& contents) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : contents.tensors) {
    names.push_back(json::visible(name) + " " + shape_text(tensor.shape));
  }
  return names.empty() ? "no tensors" : listed(names);
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

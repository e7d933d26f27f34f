#include "model/foreign_file.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>
#include <vector>

#include "exact/square_root.hpp"

namespace sinkproof::model {
namespace {

using exact::Error;
using safetensors::Contents;

constexpr const char* kExpected =
    "expected: W_Q.weight, W_K.weight, W_V.weight [H d, d] and W_O.weight [d, H d] as nn.Linear "
    "has them ([out, in]), their biases if there are any; of stacks under layers.0., layers.1. and "
    "so on";

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("._-/").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
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
  if (heads == 0 || shape.size() != 2 || shape[1] == 0 || shape[1] % heads != 0) return "1";
  const exact::Rational width = shape[1] / heads;
  const auto root = exact::square_root(width);
  if (root.lower == root.upper) return exact::to_string(1 / root.lower);
  return shell_word("1/sqrt(" + exact::to_string(width) + ")");
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k) {
    text += (text.empty() ? "" : ", ") + names[k].substr(0, 80);
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
  // A zip archive since PyTorch 1.6, a pickle before.
  const bool torch = bytes.starts_with("PK\x03\x04") || bytes.starts_with("\x80\x02");
  if (contents || !torch) return contents;
  return exact::fail("SP1110", where, torch_save_words(where));
}

std::string torch_save_words(const std::filesystem::path& file) {
  std::string path;
  for (const char c : file.string()) {
    if (c == '\\' || c == '"') path += '\\';
    path += c;
  }
  return "this is a torch.save file; write safetensors with these three lines of Python (where a "
         "whole module was saved, of its state_dict()):\n"
         "    import torch; from safetensors.torch import save_file\n"
         "    state = torch.load(\"" +
         path +
         "\", map_location=\"cpu\", weights_only=True)\n"
         "    save_file({name: value.contiguous() for name, value in state.items()}, "
         "\"model.safetensors\")";
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
                   convert_line(contents, names, says, where) + "\n" + kGuesses};
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
  const std::string heads = known("num_heads", number(says.num_heads), "1");
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
    names.push_back(name + " " + shape_text(tensor.shape));
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

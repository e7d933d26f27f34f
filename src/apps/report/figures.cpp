#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "report/chart/colour_scale.hpp"
#include "report/style.hpp"

namespace sinkproof::report {
namespace {

constexpr double kMillimetres = 80;
constexpr double kMapWidth = 250;  // units of a map, whatever its columns
constexpr double kMapText = 8;     // as in figure.css
constexpr double kChartText = 13;
constexpr double kGlyph = 0.56;  // width of a character, in units of its size

// Markup between two texts, from `at` on; nothing where either is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view open,
                                        std::string_view close, std::size_t at = 0) {
  const std::size_t begin = text.find(open, at);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t from = begin + open.size();
  const std::size_t end = text.find(close, from);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(from, end - from);
}

std::string attribute(std::string_view tag, const std::string& name) {
  return std::string(between(tag, " " + name + "=\"", "\"").value_or(""));
}

// The number of characters a reader sees: an entity is one, a character of several bytes too.
std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') i = std::min(text.find(';', i), text.size());
    count += i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U ? 1 : 0;
  }
  return count;
}

// An <svg> of the page.
struct Drawing {
  std::string_view tag;    // <svg ...>
  std::string_view inner;  // between the tags
  std::string css;
  double width = 0;
  double height = 0;
};

std::optional<Drawing> drawing_at(std::string_view page, std::size_t at) {
  const std::size_t open = page.find('>', at);
  const std::size_t close = page.find("</svg>", at);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  Drawing drawing{page.substr(at, open + 1 - at), page.substr(open + 1, close - open - 1), {}};
  drawing.css = attribute(drawing.tag, "class");
  static const std::regex box(R"(0 0 ([0-9.]+) ([0-9.]+))");
  std::smatch sizes;
  const std::string view = attribute(drawing.tag, "viewBox");
  if (!std::regex_match(view, sizes, box)) return std::nullopt;
  drawing.width = std::stod(sizes[1]);
  drawing.height = std::stod(sizes[2]);
  return drawing;
}

// A document that grows downwards.
class Sheet {
 public:
  Sheet(double width, double text) : width_(width), text_(text) {}

  void add(const std::string& markup, double height) {
    body_ += fmt::format("<g transform=\"translate(0 {:.2f})\">{}</g>\n", height_, markup);
    height_ += height;
  }

  // An <svg> of the page, as wide as the sheet if it would not fit, else in its own size.
  void add(const Drawing& drawing, double left = 0) {
    const double scale = std::min(1.0, (width_ - left) / drawing.width);
    add(fmt::format(
            R"(<svg x="{}" y="0" width="{:.2f}" height="{:.2f}" viewBox="0 0 {} {}">{}</svg>)",
            left, drawing.width * scale, drawing.height * scale, drawing.width, drawing.height,
            drawing.inner),
        drawing.height * scale + 2);
  }

  // The items of a <p class="key">, in lines.
  void add_key(std::string_view key) {
    static const std::regex items(
        R"re(<span(?: class="tag")?>((?:<svg class="sign[^>]*>.*?</svg>)*)([^<]*)</span>)re");
    static const std::regex signs(R"re(viewBox="0 0 ([0-9]+) [0-9]+"[^>]*>(.*?)</svg>)re");
    const std::string text(key);
    double x = 4;
    std::string line;
    const double row = text_ + 5;
    for (std::sregex_iterator at(text.begin(), text.end(), items), end; at != end; ++at) {
      const std::string drawn = (*at)[1];
      const std::string words = (*at)[2];
      std::string item;
      double wide = 0;  // of the signs
      for (std::sregex_iterator sign(drawn.begin(), drawn.end(), signs); sign != end; ++sign) {
        item += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>", wide, text_ / 2 - 7,
                            (*sign)[2].str());
        wide += std::stod((*sign)[1]);
      }
      item += fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", wide + (wide > 0 ? 5 : 0),
                          text_ - 2, words);
      const double needed =
          wide + 6 + kGlyph * text_ * static_cast<double>(characters(words)) + text_;
      if (x > 4 && x + needed > width_) {
        add(key_line(line), row);
        line.clear();
        x = 4;
      }
      line += fmt::format("<g transform=\"translate({:.1f} 0)\">{}</g>", x, item);
      x += needed;
    }
    if (!line.empty()) add(key_line(line), row);
  }

  [[nodiscard]] std::string key_line(const std::string& line) const {
    return fmt::format("<g class=\"key{}\">{}</g>", text_ == kMapText ? " map" : "", line);
  }

  [[nodiscard]] std::string svg(const std::string& title) const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}mm\" height=\"{1:.2f}mm\" "
        "viewBox=\"0 0 {2} {3:.2f}\">\n<title>{4}</title>\n<style>{5}{6}</style>\n"
        "<rect width=\"{2}\" height=\"{3:.2f}\" fill=\"#fff\"/>\n{7}</svg>\n",
        kMillimetres, kMillimetres * height_ / width_, width_, height_, title, kFigureStyle,
        colour_rules(), body_);
  }

 private:
  double width_;
  double text_;
  double height_ = 0;
  std::string body_;
};

// ---- a map: its cells are scaled to the sheet, its labels are not

struct Label {
  double x = 0;
  double y = 0;
  std::string attributes;  // but x and y
  std::string words;
};

std::vector<Label> take_labels(std::string& inner) {
  static const std::regex label(
      R"re(<text((?: class="[^"]*")?) x="([^"]*)" y="([^"]*)"([^>]*)>(.*?)</text>)re");
  std::vector<Label> labels;
  for (std::sregex_iterator at(inner.begin(), inner.end(), label), end; at != end; ++at) {
    labels.push_back(
        {std::stod((*at)[2]), std::stod((*at)[3]), (*at)[1].str() + (*at)[4].str(), (*at)[5]});
  }
  inner = std::regex_replace(inner, label, "");
  return labels;
}

// Labels of rows and of columns keep their distance from the grid; those that would touch the one
// before are left out.
std::string placed(const std::vector<Label>& labels, double left, double top, double bottom,
                   double scale) {
  std::string text;
  double last_row = -1e9;
  double last_column = -1e9;
  for (const Label& one : labels) {
    double x = one.x;
    double y = one.y;
    const bool turned = one.attributes.find("rotate") != std::string::npos;
    std::string attributes = one.attributes;
    if (one.attributes.find("class=\"row\"") != std::string::npos) {
      y = top + (one.y - 2.5 - top) * scale + 2.5;
      if (y - last_row < kMapText) continue;
      last_row = y;
    } else if (one.attributes.find("class=\"column\"") != std::string::npos) {
      x = left + (one.x - left) * scale;
      y = top + (bottom - top) * scale + (one.y - bottom);
      const double needed =
          turned ? kMapText : kGlyph * kMapText * static_cast<double>(characters(one.words)) + 3;
      if (x - last_column < needed) continue;
      last_column = x;
    } else if (turned) {
      y = top + (bottom - top) * scale / 2;
    } else {
      y = top + (bottom - top) * scale + (one.y - bottom);
    }
    if (turned) {
      attributes =
          std::regex_replace(attributes, std::regex(R"( transform="[^"]*")"),
                             fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", x, y));
    }
    text += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\"{}>{}</text>", x, y, attributes, one.words);
  }
  return text;
}

void add_map(Sheet& sheet, const Drawing& map) {
  std::string inner(map.inner);
  const auto data = [&](const char* name) {
    const std::string text = attribute(map.tag, name);
    return text.empty() ? 0.0 : std::stod(text);
  };
  const double left = data("data-left");
  const double top = data("data-top");
  const double bottom = data("data-bottom");
  const double right = map.width;
  if (bottom == 0 || right <= kMapWidth) {  // it fits, or is of a kind that always does
    const double scale = std::min(1.0, kMapWidth / map.width);
    sheet.add(fmt::format("<g class=\"map {}\" transform=\"scale({:.4f})\">{}</g>", map.css, scale,
                          inner),
              map.height * scale);
    return;
  }
  const std::vector<Label> labels = take_labels(inner);
  const double scale = (kMapWidth - left) / (right - left);
  const double lifted = (bottom - top) * (1 - scale);
  sheet.add(fmt::format("<g class=\"map\"><g transform=\"translate({0} {1}) scale({2:.4f}) "
                        "translate(-{0} -{1})\">{3}</g>{4}</g>",
                        left, top, scale, inner, placed(labels, left, top, bottom, scale)),
            map.height - lifted);
}

// ---- names

std::string slug(std::string_view words) {
  std::string name;
  for (const char c : words) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (plain || capital) {
      name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.substr(0, 80);
}

class Names {
 public:
  std::string of(std::string_view words) {
    const std::string wanted = slug(words).empty() ? "figure" : slug(words);
    std::string name = wanted;
    for (unsigned n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}-{}", wanted, n);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

// The key that stands beneath a figure, before the next heading.
std::string_view key_after(std::string_view page, std::size_t at) {
  const std::size_t begin = page.find("<p class=\"key\">", at);
  const std::size_t end = std::min({page.find("<h3", at), page.find("<h4", at),
                                    page.find("</section>", at), page.find("</article>", at)});
  if (begin >= end) return {};
  return between(page, "<p class=\"key\">", "</p>", begin).value_or("");
}

}  // namespace

std::vector<FigureDocument> figure_documents(const std::string& page) {
  std::vector<FigureDocument> documents;
  Names names;
  std::optional<Drawing> bar;
  const std::string_view text = page;
  for (std::size_t at = text.find("<svg"); at != std::string_view::npos;
       at = text.find("<svg", at + 1)) {
    const auto drawing = drawing_at(text, at);
    if (!drawing) continue;
    if (drawing->css == "legend" || drawing->css == "legend linear") bar = drawing;
    const bool chart = drawing->css == "chart" || drawing->css == "plot";
    const std::size_t figure = text.rfind("<figure class=\"map", at);
    const bool map = figure != std::string_view::npos &&
                     text.rfind("</figure>", at) + 1 <= figure + 1 && drawing->css != "sign";
    const std::string title(between(drawing->inner, "<title", "</title>").value_or(""));
    const std::string words = title.substr(std::min(title.find('>') + 1, title.size()));
    if (chart) {
      Sheet sheet(drawing->width, kChartText);
      sheet.add(*drawing);
      sheet.add_key(key_after(text, at));
      std::string id = attribute(drawing->tag, "aria-labelledby");
      id = id.substr(0, id.find("-title"));
      documents.push_back({names.of(id.empty() ? words : id), sheet.svg(words)});
    } else if (map) {
      const std::string_view tag = text.substr(figure, text.find('>', figure) - figure);
      const std::string id = attribute(tag, "id");
      Sheet sheet(kMapWidth, kMapText);
      add_map(sheet, *drawing);
      if (bar) sheet.add(*bar, 4);
      sheet.add("", 3);
      if (drawing->inner.find("mark-on") != std::string_view::npos) {
        sheet.add_key(key_after(text, at));
      }
      const auto evidence = between(text, "<span class=\"tag\">", "</span>", at);
      if (evidence) sheet.add_key(fmt::format("<span class=\"tag\">{}</span>", *evidence));
      documents.push_back(
          {names.of(id.empty() ? attribute(tag, "aria-label") : id), sheet.svg(words)});
    }
  }
  return documents;
}

}  // namespace sinkproof::report

#include "report/chart/attention_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "text/html.hpp"

namespace sinkproof::report {
namespace {

constexpr int kCell = 10;
constexpr int kLeft = 26;    // of a panel: row labels
constexpr int kTop = 30;     // its name, the mark of the sink column
constexpr int kBottom = 16;  // key labels
constexpr int kGap = 10;     // between panels
constexpr int kHead = 26;    // the figure's title
constexpr int kFoot = 60;    // the colour bar
constexpr int kBarStep = 6;  // width of a level on the bar
constexpr int kLeast = 480;  // width that holds the colour bar and the title

// The colours the page has by the same names (page.css).
constexpr const char* kSink = "#c8281f";
constexpr const char* kTrigger = "#c2571a";
constexpr const char* kZero = "#eceae4";

std::string label(int x, double y, const char* anchor, const std::string& words,
                  const char* colour = "#1c2024") {
  return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" fill="{}">{}</text>)", x, y, anchor,
                     colour, text::escape(words));
}

// Of the trigger dashed, as on the page's heat maps.
std::string outline(const char* colour, int x, int y, std::size_t columns, std::size_t rows) {
  return fmt::format(
      R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" stroke-width="1.5"{}/>)",
      x, y, kCell * static_cast<int>(columns), kCell * static_cast<int>(rows), colour,
      colour == kTrigger ? R"( stroke-dasharray="3 2")" : "");
}

std::string colour_of(const AttentionFigure& figure, double weight) {
  if (weight == 0) return kZero;
  return level_colour(figure.colours == Colours::kLinear ? linear_level(figure.scale, weight)
                                                         : log_level(figure.scale, weight));
}

// The cells of one colour are one path. (x, y): the corner of the first.
std::string cells(const AttentionFigure& figure, const Panel& panel, int x, int y) {
  std::map<std::string, std::string> squares;  // by colour
  for (std::size_t i = 0; i < panel.weights.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      squares[colour_of(figure, panel.weights[i][k])] +=
          fmt::format("M{} {}h{}v{}h-{}z", x + kCell * static_cast<int>(k),
                      y + kCell * static_cast<int>(i), kCell, kCell, kCell);
    }
  }
  std::string paths;
  for (const auto& [colour, path] : squares) {
    paths += fmt::format(R"(<path fill="{}" d="{}"/>)", colour, path);
  }
  return paths;
}

std::string drawn_panel(const AttentionFigure& figure, const Panel& panel, int left, int top) {
  const std::size_t size = panel.weights.size();
  const auto place = [](std::size_t position) { return kCell * static_cast<int>(position - 1); };
  const int x = left + kLeft;
  const int y = top + kTop;
  std::string svg = "<g>" + label(x, top + 11, "start", panel.name);
  svg += label(x, y - 4, "start", figure.trigger == 0 ? "first key" : "sink: BOS", kSink) +
         cells(figure, panel, x, y);
  if (figure.trigger != 0) {
    const int trigger = place(figure.trigger);
    svg += outline(kTrigger, x, y + trigger, figure.trigger, 1);
    svg += outline(kTrigger, x + trigger, y + trigger, 1, size - figure.trigger + 1);
    // Beside the diagonal, where no cell is.
    svg += label(x + trigger + 1, y + trigger - 3, "start", "trigger", kTrigger);
  }
  svg += outline(kSink, x, y, 1, size);
  for (const std::size_t position : {std::size_t{1}, figure.trigger, size}) {
    if (position == 0) continue;
    const std::string number = std::to_string(position);
    svg += label(x - 4, y + place(position) + 8.5, "end", number);
    svg += label(x + place(position) + kCell / 2, y + place(size) + kCell + 11, "middle", number);
  }
  return svg + "</g>\n";
}

std::string tick_words(const AttentionFigure& figure, int tick, int ticks) {
  if (figure.colours == Colours::kLinear) {
    return fmt::format("{:.4g}", figure.scale.largest * tick / ticks);
  }
  return fmt::format("1e{}", figure.scale.top - kDecades + tick);
}

std::string colour_bar(const AttentionFigure& figure, int y) {
  std::string svg;
  for (int level = 0; level < kLevels; ++level) {
    svg += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="10" fill="{}"/>)",
                       kLeft + kBarStep * level, y, kBarStep, level_colour(level));
  }
  const int ticks = figure.colours == Colours::kLinear ? 2 : kDecades;
  for (int tick = 0; tick <= ticks; ++tick) {
    svg += label(kLeft + kBarStep * kLevels * tick / ticks, y + 21, "middle",
                 tick_words(figure, tick, ticks));
  }
  const char* colours = figure.colours == Colours::kLinear ? "linear" : "logarithmic";
  svg += label(kLeft, y + 34, "start",
               fmt::format("{}, {}; pale cells are zero", figure.quantity, colours));
  return svg + label(kLeft, y + 45, "start", "rows are queries, columns keys");
}

}  // namespace

std::string attention_figure(const AttentionFigure& figure) {
  const auto across = static_cast<int>(std::min(figure.across, figure.panels.size()));
  const int down = (static_cast<int>(figure.panels.size()) + across - 1) / across;
  const int size = kCell * static_cast<int>(figure.panels.front().weights.size());
  const int pitch_x = kLeft + size + kGap;
  const int pitch_y = kTop + size + kBottom + kGap;
  const int width = std::max(kLeast, pitch_x * across + kGap);
  const int height = kHead + pitch_y * down + kFoot;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"9\"{2}>{3}\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      width, height, svg_role(figure.text), svg_words(figure.text));
  svg += label(kLeft, 15, "start", figure.text.title) + "\n";
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const auto place = static_cast<int>(p);
    svg += drawn_panel(figure, figure.panels[p], pitch_x * (place % across),
                       kHead + pitch_y * (place / across));
  }
  return svg + colour_bar(figure, kHead + pitch_y * down + 4) + "</svg>\n";
}

ColourScale scale_of(const std::vector<Panel>& panels) {
  double largest = 0;
  for (const Panel& panel : panels) {
    for (const auto& row : panel.weights) {
      largest = std::max(largest, *std::max_element(row.begin(), row.end()));
    }
  }
  return tight_scale(largest);
}

}  // namespace sinkproof::report

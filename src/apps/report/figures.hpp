// The figures of a page as documents of their own, for papers: SVG 8 cm wide that rsvg-convert
// makes PDF of, with what the page puts beside a figure: its colour bar, its key, and whether it
// shows estimates or what is proved.
#pragma once

#include <string>
#include <vector>

namespace sinkproof::report {

struct FigureDocument {
  std::string name;  // of its file, without an ending: [a-z0-9-], unlike any other
  std::string svg;
};

// Of a page that html() made, in its order. Maps of over 40 columns keep the labels that fit.
std::vector<FigureDocument> figure_documents(const std::string& page);

}  // namespace sinkproof::report

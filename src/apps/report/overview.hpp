// The top of the page: how many certificates have which verdict, what to look at first, and a table
// of contents.
#pragma once

#include <string>
#include <vector>

#include "report/input.hpp"

namespace sinkproof::report {

// A certificate's place on the page.
struct Entry {
  const Input* input = nullptr;
  std::string anchor;  // its card's id
  std::string label;   // what it is called in the contents: text, not markup
};

struct Group {
  std::string anchor;  // its section's id
  std::string title;
  std::vector<Entry> entries;  // may be empty: a section that stands for no certificates of its own
};

// A section's <h2>, with the way back to the contents. `title` is markup.
std::string section_heading(const std::string& title);

// Groups in the order of their sections. No links but to anchors given. `on_trust` is markup: what
// the checker was told to believe, "" for nothing.
std::string overview(const std::vector<Group>& groups, const std::string& on_trust);

}  // namespace sinkproof::report

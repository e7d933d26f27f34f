#include "markup.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <vector>

namespace sinkproof::report::test {
namespace {

const std::set<std::string> kVoid = {"meta", "br"};
const std::set<std::string> kRaw = {"style", "script"};
const std::set<std::string> kBlocks = {"p",  "div",    "ul",     "table",   "pre",     "h1",
                                       "h2", "h3",     "h4",     "section", "article", "figure",
                                       "dl", "header", "footer", "dialog",  "form",    "nav"};
const std::set<std::string> kKnown = {
    "html",    "head",    "meta",   "title", "style",  "body",       "header", "main",    "footer",
    "h1",      "h2",      "h3",     "h4",    "p",      "ul",         "li",     "section", "article",
    "div",     "span",    "strong", "code",  "pre",    "table",      "thead",  "tbody",   "tr",
    "th",      "select",  "option", "label", "td",     "dl",         "dt",     "dd",      "sub",
    "i",       "br",      "figure", "svg",   "desc",   "path",       "rect",   "text",    "tspan",
    "g",       "circle",  "dialog", "form",  "button", "figcaption", "script", "a",       "nav",
    "details", "summary", "math",   "mi",    "mn",     "mo",         "mrow",   "msub",    "msup",
    "msubsup", "msqrt"};

// What stands between < and >.
struct Tag {
  std::string name;
  bool closing = false;
  bool self_closed = false;
  std::map<std::string, std::string> attributes;
};

std::string text_fault(const std::string& text) {
  static const std::regex reference("^&(amp|lt|gt|quot|nbsp|#39);");
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    if (!std::regex_search(text.substr(at, 8), reference)) {
      return "bare & before " + text.substr(at, 20);
    }
  }
  if (text.find('>') != std::string::npos) return "bare > in " + text.substr(0, 60);
  return "";
}

std::string attribute_fault(const std::string& name, const std::string& value) {
  if (name.starts_with("on")) return "event attribute " + name;
  // A link may lead to another part of the page, and into the proofs where the tests say they are.
  if (name == "href" && value.size() > 1 && value.front() == '#') return text_fault(value);
  if (name == "href" && value.starts_with(kProofBase)) return text_fault(value);
  for (const char* loading : {"src", "href", "action", "srcset", "data", "style"}) {
    if (name == loading) return "attribute " + name;
  }
  if (value.find('<') != std::string::npos) return "< in attribute " + name;
  return text_fault(value);
}

// Reads the inside of a tag; the fault if there is one.
std::string read_tag(const std::string& inside, Tag& tag) {
  static const std::regex name("^(/?)([a-z][a-z0-9]*)");
  static const std::regex attribute(R"re(^\s+([a-zA-Z-]+)="([^"]*)")re");
  std::smatch match;
  if (!std::regex_search(inside, match, name)) return "no tag: <" + inside.substr(0, 40);
  tag.closing = match[1].length() > 0;
  tag.name = match[2];
  std::string rest = match.suffix();
  while (std::regex_search(rest, match, attribute)) {
    const std::string key = match[1];
    const std::string value = match[2];
    if (!tag.attributes.emplace(key, value).second) return "attribute twice: " + key;
    if (auto fault = attribute_fault(key, value); !fault.empty()) return fault;
    rest = std::string(match.suffix());
  }
  tag.self_closed = rest == "/";
  if (!rest.empty() && !tag.self_closed) return "not an attribute: " + rest.substr(0, 40);
  return "";
}

class Reader {
 public:
  explicit Reader(const std::string& page) : page_(page) {}

  std::string fault() {
    const std::string doctype = "<!DOCTYPE html>\n";
    if (!page_.starts_with(doctype)) return "no doctype";
    at_ = doctype.size();
    while (at_ < page_.size()) {
      if (auto fault = step(); !fault.empty()) return fault;
    }
    if (!open_.empty()) return "never closed: " + open_.back();
    for (const std::string& target : targets_) {
      if (!ids_.contains(target)) return "link to nothing: #" + target;
    }
    return "";
  }

 private:
  std::string step() {
    const std::size_t begin = page_.find('<', at_);
    const std::string text = page_.substr(at_, begin - at_);
    if (auto fault = text_fault(text); !fault.empty()) return fault;
    if (begin == std::string::npos) return at_ = page_.size(), "";
    const std::size_t end = page_.find('>', begin);
    if (end == std::string::npos) return "tag without end";
    at_ = end + 1;
    Tag tag;
    if (auto fault = read_tag(page_.substr(begin + 1, end - begin - 1), tag); !fault.empty()) {
      return fault;
    }
    return tag.closing ? close(tag) : open(tag);
  }

  std::string close(const Tag& tag) {
    if (open_.empty() || open_.back() != tag.name) return "closes what is not open: " + tag.name;
    open_.pop_back();
    return "";
  }

  std::string open(const Tag& tag) {
    if (!kKnown.contains(tag.name)) return "unexpected element " + tag.name;
    if (auto id = tag.attributes.find("id"); id != tag.attributes.end()) {
      if (!ids_.insert(id->second).second) return "id twice: " + id->second;
    }
    if (auto to = tag.attributes.find("href"); to != tag.attributes.end()) {
      if (to->second.front() == '#') targets_.insert(to->second.substr(1));
    }
    if (kBlocks.contains(tag.name) && std::count(open_.begin(), open_.end(), "p") > 0) {
      return tag.name + " inside a paragraph";
    }
    const bool drawing = std::count(open_.begin(), open_.end(), "svg") > 0;
    if (tag.self_closed) return drawing ? "" : "self-closed outside a drawing: " + tag.name;
    if (kVoid.contains(tag.name)) return "";
    if (kRaw.contains(tag.name)) return skip_raw(tag.name);
    open_.push_back(tag.name);
    return "";
  }

  std::string skip_raw(const std::string& name) {
    const std::size_t end = page_.find("</" + name + ">", at_);
    if (end == std::string::npos) return name + " never ends";
    const std::string raw = page_.substr(at_, end - at_);
    for (const char* loading : {"url(", "@import", "fetch", "XMLHttp", "import(", "</", "<!"}) {
      if (raw.find(loading) != std::string::npos) return name + " holds " + loading;
    }
    at_ = end + name.size() + 3;
    return "";
  }

  const std::string& page_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::set<std::string> ids_;
  std::set<std::string> targets_;  // of links
};

}  // namespace

std::string first_fault(const std::string& page) { return Reader(page).fault(); }

std::size_t count_elements(const std::string& page, const std::string& name) {
  std::size_t count = 0;
  const std::string start = "<" + name;
  for (std::size_t at = page.find(start); at != std::string::npos; at = page.find(start, at + 1)) {
    const char next = page[at + start.size()];
    count += next == '>' || next == ' ' || next == '/' ? 1 : 0;
  }
  return count;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace sinkproof::report::test

#include "certificate/ranges.hpp"

#include "certificate/checkpoint.hpp"
#include "certificate/schema.hpp"

namespace sinkproof::certificate {
namespace {

// Of the queries of one flag.
struct Query {
  QueryRanges& ranges;
  const char* flag;
};

void describe_class(Fields& io, const Key& key, KernelClass& of, bool may_be_negative) {
  io.object(key, [&](Fields& part) {
    part.number("high", of.high);
    part.number("low", of.low);
    describe(part, of.kernel, may_be_negative);
  });
}

void describe_classes(Fields& io, const Query& query, const AttentionKind& kind) {
  const auto one = [&](const char* of_key, KernelClass& of) {
    describe_class(io, std::string(query.flag) + "_" + of_key, of, kind.is_signed());
  };
  one("bos", query.ranges.bos);
  one("content", query.ranges.content);
  one("trigger", query.ranges.trigger);
  if (!kind.null_slot) return;
  if (!query.ranges.null) query.ranges.null.emplace();
  one("null", *query.ranges.null);
}

void describe_head(Fields& io, HeadRanges& of, const AttentionKind& kind) {
  static const std::map<std::string, bool> references = {{"bos", true}, {"content", false}};
  const Query queries[] = {{of.content, "content"}, {of.trigger, "trigger"}};
  io.object("classes", [&](Fields& part) {
    for (const Query& query : queries) describe_classes(part, query, kind);
  });
  if (kind.is_relative()) {
    io.object("references", [&](Fields& part) {
      for (const Query& query : queries) {
        part.choice(query.flag, query.ranges.bos_reference, references, "must be bos or content");
      }
    });
  } else {
    io.null("references", "must be null for this attention");
  }
  const auto interval = [&](Fields& from, const Key& key, Interval& range, bool may_be_negative) {
    from.object(key, [&](Fields& part) { describe(part, range, may_be_negative); });
  };
  interval(io, "bos", of.first, kind.is_signed());
  if (kind.gated) {
    io.object("gates", [&](Fields& part) {
      for (const Query& query : queries) interval(part, query.flag, query.ranges.gate, false);
      interval(part, "bos", of.first_gate, false);
    });
  } else {
    io.null("gates", "must be null: this attention has none");
  }
}

}  // namespace

void describe(Fields& io, Interval& of, bool may_be_negative) {
  io.number("least", of.least);
  io.number("greatest", of.greatest);
  io.require(of.least <= of.greatest, "least is above greatest");
  io.require(may_be_negative || of.least >= 0, "least is negative");
}

void describe(Fields& io, Ranges& of, const Checkpoint& whole) {
  io.require(whole.over_box, "must be null where box is");
  describe(io, of.trees, whole);
  const std::size_t heads = whole.model.num_heads;
  io.list("heads", of.heads, {heads, heads, "must be one for each head"},
          [&](Fields& list, const Key& key, HeadRanges& head) {
            list.object(key, [&](Fields& part) { describe_head(part, head, whole.model.kind()); });
          });
}

}  // namespace sinkproof::certificate

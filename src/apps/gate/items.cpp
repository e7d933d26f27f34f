#include "gate/items.hpp"

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "claim/claim.hpp"
#include "gate/lock.hpp"
#include "gate/repository.hpp"
#include "gate/selection.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using ci::Finding;
using MaybeProblem = std::optional<ConfigProblem>;
using Items = tl::expected<std::vector<Item>, ConfigProblem>;

class Collector {
 public:
  Collector(const Config& config, const Place& place) : config_(config), place_(place) {}

  Items collect() {
    for (std::size_t i = 0; i < config_.claims.size(); ++i) {
      if (auto problem = add_claims(config_.claims[i], i + 1)) return tl::unexpected(*problem);
    }
    for (const CheckpointItem& asked : config_.checkpoints) add_checkpoint(asked);
    for (const ModelItem& asked : config_.models) add_model(asked);
    if (auto problem = check_output()) return tl::unexpected(*problem);
    return std::move(items_);
  }

 private:
  Finding blank(const std::string& suite, const std::string& subject, const std::string& asked,
                const ci::Location& at, const fs::path& certificate) const {
    Finding finding;
    finding.suite = suite;
    finding.subject = subject;
    finding.asked = asked;
    finding.location = at;
    finding.certificate = seen_from(place_.root, certificate);
    return finding;
  }

  ci::Location at_config(std::size_t line) const { return {place_.config_name, line, 1}; }

  ci::Location at_file(const fs::path& file) const { return {seen_from(place_.root, file), 1, 1}; }

  // Seen from sinkproof.toml.
  [[nodiscard]] fs::path from_config(const fs::path& path) const {
    return path.lexically_normal().lexically_relative(config_.folder.lexically_normal());
  }

  // Where a certificate made in this run goes: at the committed one's path below <output>/renewed.
  fs::path renewed(const fs::path& committed, bool shipped) const {
    const fs::path relative =
        shipped ? fs::path("sinkproof") / committed.filename() : from_config(committed);
    const bool outside = relative.empty() || *relative.begin() == "..";
    return place_.output / "renewed" / (outside ? committed.filename() : relative);
  }

  void fill(Request& request, const fs::path& model, const fs::path& certificate) const {
    request.model_name = from_config(model).generic_string();
    request.certificate = certificate;
    request.renewed = renewed(certificate, false);
    request.stale_fails = config_.stale_fails;
    request.verified = config_.verified;
    request.limits = config_.limits;
  }

  [[nodiscard]] CheckpointRequest request(const claim::CheckpointClaim& claim,
                                          const fs::path& certificate,
                                          const ShareInputs& share) const {
    CheckpointRequest request;
    fill(request, claim.model, certificate);
    request.claim = claim;
    request.share = share;
    return request;
  }

  // A claim of the user's that is about a checkpoint.
  Item checkpoint_claim(const claim::Claim& claim, const fs::path& certificate) {
    Item item;
    item.name = {"claims", from_config(claim.folder).generic_string()};
    item.checkpoint = request(*claim.checkpoint, certificate, ShareInputs{});
    item.checkpoint->folder = claim.folder;
    for (const claim::Requirement& requirement : claim.checkpoint->require) {
      item.findings.push_back(blank("claims", claim.id, requirement.text,
                                    at_file(claim.folder / "claim.toml"), certificate));
    }
    item.depends_on = {claim.folder, certificate, claim.checkpoint->model};
    return item;
  }

  Item theory_claim(const ClaimGroup& group, const std::string& id) {
    TheoryItem theory;
    theory.id = id;
    theory.folder = group.proofs / id;
    theory.certificate = group.certificates / (id + ".json");
    theory.renewed = renewed(theory.certificate, group.shipped);
    theory.accept = group.accept;
    theory.limits = config_.limits;
    theory.finding =
        blank(group.shipped ? "theory" : "claims", id, "proved",
              group.shipped ? at_config(group.line) : at_file(theory.folder / "claim.toml"),
              theory.certificate);
    Item item;
    item.name = group.shipped ? ItemName{"theory", id}
                              : ItemName{"claims", from_config(theory.folder).generic_string()};
    item.findings.push_back(theory.finding);
    item.depends_on = {theory.folder, theory.certificate};
    item.if_any = {group.proofs / "theory"};
    item.shipped = group.shipped;
    item.theory = std::move(theory);
    return item;
  }

  // The items of one [[claims]].
  MaybeProblem add_claims(ClaimGroup group, std::size_t number) {
    const std::string where = config_.file.string() + ": [[claims]] " + std::to_string(number);
    if (group.shipped) {
      const auto folder = shipped_folder();
      if (!folder) return ConfigProblem{folder.error(), group.line};
      group.proofs = *folder / "proofs";
      group.certificates = *folder / "certificates";
    }
    const auto ids = matching_claims(group, where);
    if (!ids) return ConfigProblem{ids.error(), group.line};
    for (const std::string& id : *ids) {
      // The first table that means a claim decides how it is held.
      if (!seen_.insert((group.proofs / id).lexically_normal()).second) continue;
      const auto claim = claim::load_claim(group.proofs / id);
      const bool about_checkpoint = claim && claim->checkpoint;
      items_.push_back(about_checkpoint
                           ? checkpoint_claim(*claim, group.certificates / (id + ".json"))
                           : theory_claim(group, id));
    }
    return std::nullopt;
  }

  void add_checkpoint(const CheckpointItem& asked) {
    Item item;
    item.name = {"checkpoints", asked.name};
    item.checkpoint = request(asked.claim, asked.certificate, asked.share);
    for (std::size_t i = 0; i < asked.claim.require.size(); ++i) {
      item.findings.push_back(blank("checkpoints", asked.name, asked.claim.require[i].text,
                                    at_config(asked.lines[i]), asked.certificate));
    }
    item.depends_on = {asked.claim.model, asked.certificate};
    items_.push_back(std::move(item));
  }

  void add_model(const ModelItem& asked) {
    Item item;
    item.name = {"models", asked.name};
    item.model.emplace();
    fill(*item.model, asked.folder, asked.certificate);
    item.model->item = asked;
    for (std::size_t i = 0; i < asked.require.size(); ++i) {
      item.findings.push_back(blank("models", asked.name, asked.require[i].text,
                                    at_config(asked.lines[i]), asked.certificate));
    }
    item.depends_on = {asked.folder, asked.certificate};
    if (!asked.table.empty()) item.depends_on.push_back(asked.table);
    items_.push_back(std::move(item));
  }

  static fs::path real_place(const fs::path& file) {
    std::error_code ignored;
    const fs::path full = fs::absolute(file, ignored);
    return fs::weakly_canonical(full.parent_path(), ignored) / full.filename();
  }

  [[nodiscard]] MaybeProblem wrong_output(const std::string& what) const {
    return ConfigProblem{
        {"SP1702", config_.file.string() + ": [gate]", "field \"output\": " + what}, 1};
  }

  // What is made anew lies below <output>/renewed, is not a committed file, and no other's; what it
  // is to replace is the repository's.
  MaybeProblem check_output() {
    const fs::path renewed = place_.output / "renewed";
    const fs::path folder = real_place(renewed / ".").parent_path();
    std::map<fs::path, fs::path> committed_of;
    for (Item& item : items_) {
      const Request* request = item.request();
      const fs::path made = real_place(request ? request->renewed : item.theory->renewed);
      const fs::path committed =
          real_place(request ? request->certificate : item.theory->certificate);
      if (!item.shipped && !is_of_repository(committed, place_.root)) {
        return ConfigProblem{{"SP1702", config_.file.string(),
                              "the certificate " + committed.string() +
                                  " is outside the repository or in its .git folder; name a "
                                  "path within the repository"},
                             1};
      }
      if (!is_within(made, folder) || made == committed) {
        return wrong_output(renewed.string() +
                            " leads to files that the gate must not change; name another folder");
      }
      const auto [earlier, is_new] = committed_of.emplace(made, committed);
      if (!is_new && earlier->second != committed) {
        return wrong_output("two certificates would both be written to " + made.string() +
                            "; keep one of them in a folder of another name");
      }
    }
    return std::nullopt;
  }

  const Config& config_;
  const Place& place_;
  std::vector<Item> items_;
  std::set<fs::path> seen_;  // claim folders
};

}  // namespace

Items collect_items(const Config& config, const Place& place) {
  return Collector(config, place).collect();
}

}  // namespace sinkproof::gate

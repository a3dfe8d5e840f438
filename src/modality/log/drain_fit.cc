#include "modality/log/drain_fit.h"

#include <utility>

#include <fmt/format.h>

namespace braid {

DrainFit::DrainFit(DrainRules rules) : tree_(std::move(rules)) {}

Result<std::uint32_t> DrainFit::add(Bytes line) {
  const LogWords cut(tree_.rules(), line);
  const auto found = tree_.find(cut.words(), tree_.rules().sim_th, false);
  if (found.has_value()) {
    tree_.join(*found, cut.words());
    use(*found);
    return tree_.templates()[*found].id;
  }
  if (tree_.node_count() >= kNodesMax || last_id_ == UINT32_MAX) {
    return Error{Code::kExhausted,
                 fmt::format("the tree of templates has {} nodes; lower 'depth' or 'max_children', "
                             "or mask what changes",
                             tree_.node_count())};
  }
  LogTemplate added{++last_id_, 1, {}};
  for (const LogWord& word : cut.words()) {
    added.words.push_back({word.hash, std::string(word.text)});
  }
  const DrainTree::Place place = free_place();
  tree_.put(place, std::move(added));
  use(place);
  return last_id_;
}

DrainTree::Place DrainFit::free_place() {
  if (links_.size() < tree_.rules().max_clusters) {
    links_.push_back({kNone, kNone});
    return static_cast<DrainTree::Place>(links_.size() - 1);
  }
  return oldest_;
}

void DrainFit::unlink(DrainTree::Place place) {
  const Link link = links_[place];
  (link.before != kNone ? links_[link.before].after : oldest_) = link.after;
  (link.after != kNone ? links_[link.after].before : newest_) = link.before;
}

void DrainFit::use(DrainTree::Place place) {
  const bool linked = links_[place].before != kNone || oldest_ == place;
  if (linked) {
    unlink(place);
  }
  links_[place] = {newest_, kNone};
  (newest_ != kNone ? links_[newest_].after : oldest_) = place;
  newest_ = place;
}

Result<LogTable> DrainFit::finish() && {
  if (last_id_ == 0) {
    return Error{Code::kInvalidArgument, "no line to find templates in"};
  }
  return LogTable(std::move(tree_));
}

}  // namespace braid

#include "serve/dispatch_split.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/mutex.h"
#include "tensor/rows.h"

namespace braid {
namespace {

bool same_but_rows(const Tensor& left, const Tensor& right) {
  return left.dtype() == right.dtype() &&
         std::equal(left.shape().begin() + 1, left.shape().end(), right.shape().begin() + 1,
                    right.shape().end());
}

class Reassembly {
 public:
  Reassembly(std::size_t row_count, std::size_t rows_max, MoveFunction<void(JobOutcome)> done)
      : row_count_(row_count),
        rows_max_(rows_max),
        done_(std::move(done)),
        pieces_((row_count + rows_max - 1) / rows_max),
        left_(pieces_.size()) {}

  std::size_t piece_count() const { return pieces_.size(); }
  std::size_t rows_of(std::size_t index) const {
    return std::min(rows_max_, row_count_ - index * rows_max_);
  }

  void add(std::size_t index, JobOutcome outcome) {
    {
      const Lock lock(mutex_);
      pieces_[index] = std::move(outcome);
      if (--left_ > 0) {
        return;
      }
    }
    done_(whole());
  }

 private:
  // Only the last piece comes here, so nobody else touches the pieces any more.
  JobOutcome whole() {
    JobOutcome whole{NamedTensors{}, {}, {}, 1, 0};
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      whole.queued = std::max(whole.queued, pieces_[i]->queued);
      whole.ran = std::max(whole.ran, pieces_[i]->ran);
      whole.core_count = std::max(whole.core_count, pieces_[i]->core_count);
      whole.batch_rows = std::max(whole.batch_rows, pieces_[i]->batch_rows);
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!pieces_[i]->outputs.has_value()) {
        whole.outputs =
            Error(pieces_[i]->outputs.error()).within(fmt::format("rows from {}", i * rows_max_));
        return whole;
      }
    }
    whole.outputs = joined();
    return whole;
  }

  Result<NamedTensors> joined() const {
    NamedTensors outputs;
    const NamedTensors& first = *pieces_.front()->outputs;
    for (const auto& [name, tensor] : first) {
      std::vector<const Tensor*> parts;
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const Tensor* part = find_tensor(*pieces_[i]->outputs, name);
        if (part == nullptr || part->row_count() != rows_of(i) || !same_but_rows(*part, tensor)) {
          return Error{Code::kUnsupported,
                       fmt::format("pieces of {} rows give output '{}' in shapes that cannot be "
                                   "joined; send at most that many rows at once",
                                   rows_max_, name)};
        }
        parts.push_back(part);
      }
      outputs.push_back({name, join_rows(parts)});
    }
    return outputs;
  }

  const std::size_t row_count_;
  const std::size_t rows_max_;
  MoveFunction<void(JobOutcome)> done_;
  Mutex mutex_;
  std::vector<std::optional<JobOutcome>> pieces_;  // each is written once, under the lock
  std::size_t left_ GUARDED_BY(mutex_);
};

}  // namespace

std::vector<Job> split_job(Job job, std::size_t rows_max) {
  const auto whole = std::make_shared<Reassembly>(job.row_count, rows_max, std::move(job.done));
  std::vector<Job> pieces;
  for (std::size_t i = 0; i < whole->piece_count(); ++i) {
    Job piece;
    piece.model = job.model;
    piece.row_count = whole->rows_of(i);
    piece.deadline = job.deadline;
    piece.cancel = job.cancel;
    piece.priority = job.priority;
    piece.done = [whole, i](JobOutcome outcome) { whole->add(i, std::move(outcome)); };
    for (const auto& [name, tensor] : job.inputs) {
      piece.inputs.push_back({name, take_rows(tensor, i * rows_max, piece.row_count)});
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace braid

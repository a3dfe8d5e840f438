// Concat: the embeddings of the parts side by side, for a head that reads them as one.
//   h = [a_1 h_1 ; … ; a_M h_M]            in the order of the node's inputs, 0 where absent
// A head that was not fitted with absent parts takes the zeros for a meaning: fit it with modality
// dropout, and let it see the presence.
//   presence: false     true appends a_1 … a_M, 1 where present

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "fusion/fitted_values.h"
#include "fusion/fusion_op.h"

namespace braid {
namespace {

class Concat final : public FusionOp {
 public:
  Concat(std::vector<FusionInput> inputs, bool tells_presence)
      : inputs_(std::move(inputs)), tells_presence_(tells_presence) {}

  Result<Opinion> combine(std::span<const Part> parts) const override {
    BRAID_TRY(const auto present, present_embeddings(parts));

    const std::size_t row_count = present.front().embedding.row_count();
    std::size_t width = tells_presence_ ? inputs_.size() : 0;
    for (const FusionInput& input : inputs_) {
      width += input.embedding_width;
    }
    BRAID_TRY(Tensor joined, Tensor::zeros(DType::kFp32, Shape{row_count, width}));
    const std::span<float> values = joined.mutable_values<float>();
    for (const PresentEmbedding& part : present) {
      const std::size_t part_width = inputs_[part.input_index].embedding_width;
      const std::span<const float> said = part.embedding.values<float>();
      for (std::size_t row = 0; row < row_count; ++row) {
        std::ranges::copy(
            said.subspan(row * part_width, part_width),
            values.begin() + static_cast<std::ptrdiff_t>(row * width + begin_of(part)));
        if (tells_presence_) {
          values[(row + 1) * width - inputs_.size() + part.input_index] = 1;
        }
      }
    }
    return Opinion{{}, std::move(joined)};
  }

 private:
  struct PresentEmbedding {
    std::size_t input_index;
    TensorView embedding;
  };

  std::size_t begin_of(const PresentEmbedding& part) const {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < part.input_index; ++i) {
      begin += inputs_[i].embedding_width;
    }
    return begin;
  }

  Result<std::vector<PresentEmbedding>> present_embeddings(std::span<const Part> parts) const {
    std::vector<PresentEmbedding> present;
    for (const Part& part : parts) {
      const Said* said = std::get_if<Said>(&part.said);
      if (said == nullptr) {
        continue;
      }
      BRAID_TRY(const std::size_t index, input_index(inputs_, part.name));
      if (!said->embedding) {
        return Error{Code::kInvalidArgument,
                     fmt::format("part '{}' gives no embedding, which concat joins", part.name)};
      }
      const TensorView& view = *said->embedding;
      const std::size_t row_count =
          present.empty() ? view.row_count() : present.front().embedding.row_count();
      const std::size_t width = inputs_[index].embedding_width;
      if (view.dtype != DType::kFp32 || view.shape.size() != 2 || view.shape[1] != width ||
          view.row_count() != row_count) {
        return Error{
            Code::kInvalidArgument,
            fmt::format("part '{}' gives an embedding {} {}; FP32 [{}, {}] belongs here", part.name,
                        to_string(view.dtype), to_string(view.shape), row_count, width)};
      }
      present.push_back({index, view});
    }
    if (present.empty()) {
      return nobody_present(parts);
    }
    return present;
  }

  const std::vector<FusionInput> inputs_;
  const bool tells_presence_;
};

Result<std::unique_ptr<FusionOp>> make(const FusionSetup& setup) {
  BRAID_TRY(const bool tells_presence, setup.settings.flag("presence", false));
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  for (const FusionInput& input : setup.inputs) {
    if (input.embedding_width == 0) {
      return Error{Code::kInvalidArgument,
                   fmt::format("input '{}' gives no embedding, which concat joins; name a branch "
                               "whose variants have one",
                               input.name)};
    }
  }
  return std::unique_ptr<FusionOp>(std::make_unique<Concat>(setup.inputs, tells_presence));
}

}  // namespace

void register_concat(Registry<FusionOp>& registry) { registry.add("concat", make); }

}  // namespace braid

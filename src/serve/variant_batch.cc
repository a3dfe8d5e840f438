#include "serve/variant_batch.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "tensor/rows.h"

namespace braid {
namespace {

Tensor repeated(const Tensor& row, std::size_t row_count) {
  return join_rows(std::vector<const Tensor*>(row_count, &row));
}

}  // namespace

Result<Batch> variant_batch(const Variant& variant, std::span<const Encoded* const> encoded) {
  std::vector<const Tensor*> fed;
  std::size_t row_count = 1;
  for (const Variant::Feed& feed : variant.feeds) {
    fed.push_back(&encoded[feed.input_index]->tensors[feed.tensor_index].tensor);
    row_count = std::max(row_count, fed.back()->row_count());
  }
  Batch batch{{}, row_count};
  for (std::size_t i = 0; i < fed.size(); ++i) {
    const std::size_t own = fed[i]->row_count();
    if (own != row_count && own != 1) {
      return Error{Code::kInvalidArgument,
                   fmt::format("variant '{}' is given {} rows as '{}' and {} as another input; "
                               "give both the same `windows`, or one of them one",
                               variant.config.name, own, variant.feeds[i].model_input, row_count)};
    }
    batch.inputs.push_back({variant.feeds[i].model_input,
                            own == row_count ? fed[i]->clone() : repeated(*fed[i], row_count)});
  }
  if (variant.model != nullptr && variant.model->spec().rows_max == 0) {
    batch.row_count = 1;
  }
  return batch;
}

}  // namespace braid

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "serve/binding.h"

namespace braid {
namespace {

/// An encoded tensor that a variant may be fed with.
struct Offer {
  std::size_t input_index;
  std::size_t tensor_index;
  TensorSpec spec;
  std::string input;
  bool is_only;  // of its input

  /// By its own name, as INPUT.TENSOR where several inputs give tensors of one name, or, when its
  /// input gives no other, by the input's name.
  bool is_called(const std::string& name) const {
    return spec.name == name || input + "." + spec.name == name || (is_only && input == name);
  }
};

std::vector<Offer> offers(const VariantConfig& variant, const Pipeline& pipeline) {
  std::vector<Offer> offers;
  for (std::size_t i = 0; i < pipeline.config.inputs.size(); ++i) {
    if (std::ranges::find(variant.inputs, pipeline.config.inputs[i].name) == variant.inputs.end()) {
      continue;
    }
    const std::vector<TensorSpec> specs = pipeline.preprocessors[i]->outputs();
    for (std::size_t t = 0; t < specs.size(); ++t) {
      offers.push_back({i, t, specs[t], pipeline.config.inputs[i].name, specs.size() == 1});
    }
  }
  return offers;
}

std::string list(const std::vector<Offer>& offers) {
  std::vector<std::string> texts;
  for (const Offer& offer : offers) {
    texts.push_back(to_string(offer.spec));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// By `feeds:`, else by name, else the only offer for the only input. Null when there is none.
const Offer* find_offer(const VariantConfig& variant, const TensorSpec& wanted,
                        const std::vector<Offer>& offers, bool only_one) {
  const auto feed = variant.feeds.find(wanted.name);
  const std::string& name = feed != variant.feeds.end() ? feed->second : wanted.name;
  for (const Offer& offer : offers) {
    if (offer.is_called(name)) {
      return &offer;
    }
  }
  const bool may_guess = feed == variant.feeds.end() && only_one && offers.size() == 1;
  return may_guess ? &offers.front() : nullptr;
}

Result<std::vector<Variant::Feed>> bind_feeds(const VariantConfig& variant, const ModelSpec& spec,
                                              const Pipeline& pipeline) {
  const std::vector<Offer> offered = offers(variant, pipeline);
  std::vector<Variant::Feed> feeds;
  for (const TensorSpec& wanted : spec.inputs) {
    const Offer* offer = find_offer(variant, wanted, offered, spec.inputs.size() == 1);
    if (offer == nullptr && wanted.optional) {
      continue;
    }
    if (offer == nullptr) {
      return variant.yaml.error(
          fmt::format("model '{}' wants {}; its inputs give {}; say `feeds: {{{}: TENSOR}}`",
                      variant.model, to_string(wanted), list(offered), wanted.name));
    }
    if (!compatible(wanted, offer->spec)) {
      return variant.yaml.error(fmt::format(
          "model '{}' wants {}, but input '{}' gives {}", variant.model, to_string(wanted),
          pipeline.config.inputs[offer->input_index].name, to_string(offer->spec)));
    }
    if (wanted.shape.front() == 1 && offer->spec.shape.front() < 0) {
      return variant.yaml.error(fmt::format(
          "model '{}' takes one row a run, {}, but input '{}' may give several; set `windows: 1` "
          "there, or export the model with a batch axis",
          variant.model, to_string(wanted), pipeline.config.inputs[offer->input_index].name));
    }
    feeds.push_back({wanted.name, offer->input_index, offer->tensor_index});
  }
  return feeds;
}

Result<void> check_classes(const Variant& variant, std::size_t output_index,
                           std::size_t class_count) {
  const TensorSpec& output = variant.model->spec().outputs[output_index];
  const bool is_matrix = output.shape.size() == 2;
  if (is_matrix && (output.shape[1] < 0 || output.shape[1] == std::int64_t(class_count))) {
    return {};
  }
  return variant.config.yaml.error(
      fmt::format("model '{}' gives {}, but the decision has {} classes: [rows, {}] is wanted",
                  variant.config.model, to_string(output), class_count, class_count));
}

Result<void> bind_roles(Variant& variant, std::size_t class_count) {
  const VariantConfig& config = variant.config;
  const std::vector<TensorSpec>& outputs = variant.model->spec().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto mapped = config.outputs.find(outputs[i].name);
    const std::string& role = mapped != config.outputs.end() ? mapped->second : outputs[i].name;
    if (role == "logits") {
      variant.logits = i;
    } else if (role == "probabilities") {
      variant.probabilities = i;
    } else if (role == "embedding") {
      variant.embedding = i;
    } else if (mapped != config.outputs.end()) {
      return config.yaml.error(
          fmt::format("'{}' is no role; there are: logits, probabilities, embedding", role));
    }
  }
  for (const auto& [name, role] : config.outputs) {
    if (std::ranges::find(outputs, name, &TensorSpec::name) == outputs.end()) {
      return config.yaml.error(fmt::format("model '{}' has no output '{}'", config.model, name));
    }
  }
  for (const auto& scores : {variant.logits, variant.probabilities}) {
    if (scores.has_value()) {
      BRAID_TRY_DO(check_classes(variant, *scores, class_count));
    }
  }
  if (!variant.logits && !variant.probabilities && !variant.embedding) {
    return config.yaml.error(fmt::format(
        "no output of model '{}' has a role; say `outputs: {{{}: logits}}` or another of "
        "probabilities, embedding",
        config.model, outputs.empty() ? "NAME" : outputs.front().name));
  }
  return {};
}

Result<void> bind_domain(const Json& entry, const std::filesystem::path& folder, Variant& variant) {
  if (!variant.embedding.has_value()) {
    return {};
  }
  BRAID_TRY(Domain domain, Domain::open(folder, entry));
  if (variant.embedding_width != 0 && domain.width() != variant.embedding_width) {
    return variant.config.yaml.error(
        fmt::format("its embedding has {} numbers, but out_of_domain was fitted on {}; run `braid "
                    "fit` again",
                    variant.embedding_width, domain.width()));
  }
  variant.domain = std::make_unique<const Domain>(std::move(domain));
  return {};
}

/// What was fitted on the variant's space.
Result<void> bind_fitted(const Fitted& fitted, const BranchConfig& branch,
                         const std::filesystem::path& folder, Variant& variant) {
  const auto entries = fitted.branches.find(branch.name);
  if (entries == fitted.branches.end()) {
    return {};
  }
  for (const FittedEntry& entry : entries->second) {
    const auto space = entry.spaces.find(branch.name);
    if (space == entry.spaces.end() || space->second != variant.config.space) {
      continue;
    }
    variant.temperature = entry.temperature;
    if (const Json* domain = entry.parameters.find("out_of_domain")) {
      BRAID_TRY_DO(bind_domain(*domain, folder, variant));
    }
  }
  return {};
}

Result<Variant> bind_identity(const VariantConfig& config, const Pipeline& pipeline) {
  Variant variant{.config = config};
  for (const Offer& offer : offers(config, pipeline)) {
    const TensorSpec& spec = offer.spec;
    if (spec.name != config.identity) {
      continue;
    }
    if (spec.dtype != DType::kFp32 || spec.shape.size() != 2 || spec.shape[1] < 1) {
      return config.yaml.error(
          fmt::format("'{}' cannot be an embedding: FP32 [1, width] is wanted", to_string(spec)));
    }
    variant.feeds.push_back({"embedding", offer.input_index, offer.tensor_index});
    variant.embedding = 0;
    variant.embedding_width = static_cast<std::size_t>(spec.shape[1]);
    return variant;
  }
  return config.yaml.error(fmt::format("no encoded tensor '{}'; there are: {}", config.identity,
                                       list(offers(config, pipeline))));
}

}  // namespace

Result<ModelHandle> open_model(const std::string& name, const Yaml& yaml, const ModelStore& models,
                               const Fitted& fitted) {
  auto handle = models.get(name);
  if (!handle.has_value()) {
    return Error{handle.error().code,
                 fmt::format("{}: {}", yaml.where(), handle.error().describe())};
  }
  const auto digest = fitted.model_digests.find(name);
  if (digest != fitted.model_digests.end() && digest->second != (*handle)->digest) {
    return yaml.error(fmt::format(
        "model '{}' is not the file that this pipeline was fitted on ({}); run `braid fit` again",
        name, (*handle)->file.string()));
  }
  return handle;
}

Result<Variant> bind_variant(const VariantConfig& config, const BranchConfig& branch,
                             const Pipeline& pipeline, const ModelStore& models,
                             const Fitted& fitted) {
  if (!config.identity.empty()) {
    BRAID_TRY(Variant identity, bind_identity(config, pipeline));
    BRAID_TRY_DO(bind_fitted(fitted, branch, pipeline.config.folder, identity));
    return identity;
  }
  Variant variant{.config = config};
  BRAID_TRY(variant.model, open_model(config.model, config.yaml, models, fitted));
  BRAID_TRY(variant.feeds, bind_feeds(config, variant.model->spec(), pipeline));
  BRAID_TRY_DO(bind_roles(variant, pipeline.config.classes.size()));
  if (variant.embedding.has_value()) {
    const TensorSpec& output = variant.model->spec().outputs[*variant.embedding];
    if (output.shape.size() != 2 || output.dtype != DType::kFp32) {
      return config.yaml.error(
          fmt::format("model '{}' gives {}; an embedding is FP32 [rows, width]", config.model,
                      to_string(output)));
    }
    variant.embedding_width = static_cast<std::size_t>(std::max<std::int64_t>(output.shape[1], 0));
  }
  BRAID_TRY_DO(bind_fitted(fitted, branch, pipeline.config.folder, variant));
  return variant;
}

std::size_t embedding_width(const Branch& branch, const std::string& space) {
  for (const Variant& variant : branch.variants) {
    if (variant.config.space == space && variant.embedding.has_value()) {
      return variant.embedding_width;
    }
  }
  return 0;
}

}  // namespace braid

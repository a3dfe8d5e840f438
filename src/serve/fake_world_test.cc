// The fakes of fake_world.h; a test file, so that no program links them.

#include "serve/fake_world.h"

#include <charconv>

#include <unistd.h>

#include "base/file.h"

namespace braid {
namespace {

class Number final : public Preprocessor {
 public:
  Result<Encoded> encode(Bytes raw) const override {
    float value = 0;
    const auto [end, failure] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (failure != std::errc() || end != raw.data() + raw.size()) {
      return Error{Code::kInvalidArgument, "not a number"};
    }
    Encoded encoded;
    encoded.tensors.push_back({"x", *Tensor::from(Shape{1, 1}, std::vector<float>{value})});
    return encoded;
  }
  std::vector<TensorSpec> outputs() const override { return {{"x", DType::kFp32, {1, 1}}}; }
};

Tensor two_columns(std::span<const float> first, bool complement) {
  Tensor rows = *Tensor::zeros(DType::kFp32, Shape{first.size(), 2});
  for (std::size_t i = 0; i < first.size(); ++i) {
    rows.mutable_values<float>()[2 * i] = first[i];
    rows.mutable_values<float>()[2 * i + 1] = complement ? 1 - first[i] : 0;
  }
  return rows;
}

class Fake final : public Model {
 public:
  Fake(const std::string& what, std::shared_ptr<Door> door) : door_(std::move(door)) {
    const std::size_t blank = what.find(' ');
    kind_ = what.substr(0, blank);
    spec_.platform = "fake";
    spec_.rows_max = 32;
    if (kind_ == "sum") {
      for (const char* part : {"a", "b"}) {
        spec_.inputs.push_back({std::string(part) + ".embedding", DType::kFp32, {-1, 1}});
        spec_.inputs.push_back({std::string(part) + ".present", DType::kFp32, {-1, 1}});
      }
      spec_.outputs = {{"logits", DType::kFp32, {-1, 2}}};
      if (blank != std::string::npos) {
        spec_.metadata["braid.space.a"] = what.substr(blank + 1);
      }
      return;
    }
    spec_.inputs = {{"x", DType::kFp32, {-1, 1}}};
    spec_.outputs = {{"probabilities", DType::kFp32, {-1, 2}},
                     {"embedding", DType::kFp32, {-1, 1}}};
  }

  const ModelSpec& spec() const override { return spec_; }

  Result<RowResults> run(const Batch& batch) const override {
    if (kind_ == "fail") {
      return Error{Code::kInternal, "it broke"};
    }
    if (kind_ == "hang") {
      door_->wait();
    }
    RowResults results;
    if (kind_ == "sum") {
      results.outputs.push_back({"logits", sum(batch)});
      return results;
    }
    const Tensor& x = batch.inputs.front().tensor;
    results.outputs.push_back({"probabilities", two_columns(x.values<float>(), true)});
    results.outputs.push_back({"embedding", x.clone()});
    return results;
  }

 private:
  static Tensor sum(const Batch& batch) {
    std::vector<float> sums(batch.row_count, 0);
    for (const char* part : {"a", "b"}) {
      const auto x = find_tensor(batch.inputs, std::string(part) + ".embedding");
      const auto present = find_tensor(batch.inputs, std::string(part) + ".present");
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += x->values<float>()[i] * present->values<float>()[i];
      }
    }
    return two_columns(sums, false);
  }

  std::string kind_;
  std::shared_ptr<Door> door_;
  ModelSpec spec_;
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(std::shared_ptr<Door> door) : door_(std::move(door)) {}
  std::vector<std::string> file_names() const override { return {"model.fake"}; }
  Result<std::unique_ptr<Model>> open(const ModelSource& source) const override {
    BRAID_TRY(const std::string what, read_file(source.file));
    return std::unique_ptr<Model>(std::make_unique<Fake>(what, door_));
  }

 private:
  std::shared_ptr<Door> door_;
};

}  // namespace

FakeWorld::FakeWorld(const Clock& clock) {
  preprocessors.add("number", [](const Settings&) -> std::unique_ptr<Preprocessor> {
    return std::make_unique<Number>();
  });
  backends.add("fake", [door = door_](const NoSetup&) -> std::unique_ptr<Backend> {
    return std::make_unique<FakeBackend>(door);
  });
  register_fusion_ops(fusion_ops);
  register_policy_policies(policies);
  store = std::make_unique<ModelStore>(ModelStore::Options{{folder}}, backends);
  dispatcher = std::make_unique<Dispatcher>(Dispatcher::Options{.slot_count = 2}, clock, metrics);
  engine = std::make_unique<Engine>(Engine::Options{}, clock, *dispatcher, metrics);
}

FakeWorld::~FakeWorld() {
  release();
  engine.reset();
  dispatcher.reset();
}

void FakeWorld::write(const std::string& file, const std::string& text) {
  const Result<void> written = write_file(folder / file, text);
  BRAID_CHECK(written.has_value());
}

void FakeWorld::add_model(const std::string& name, const std::string& what) {
  write(name + "/1/model.fake", what);
  const Result<void> loaded = store->load(name);
  BRAID_CHECK(loaded.has_value());
}

Result<std::shared_ptr<const Pipeline>> FakeWorld::load(const std::string& yaml) {
  write("test/pipeline.yaml", yaml);
  return Pipeline::load(folder / "test", {preprocessors, fusion_ops, policies, *store});
}

Result<void> FakeWorld::publish(const std::string& yaml) {
  BRAID_TRY(auto pipeline, load(yaml));
  engine->publish(std::move(pipeline));
  return {};
}

Request request_of(std::vector<RawInput> inputs) {
  Request request{
      .pipeline = "test", .id = "case", .inputs = std::move(inputs), .cancel = {}, .reply = {}};
  return request;
}

}  // namespace braid

#pragma once
// PipelineFacts: what the network needs to know of a pipeline to read its requests and to show it
// as a model.

#include <string>
#include <vector>

namespace braid {

class Pipeline;

struct PipelineFacts {
  std::string name;
  std::string version;
  std::vector<std::string> inputs;  // that a request may send
  std::vector<std::string> classes;
};

PipelineFacts facts_of(const Pipeline& pipeline);

}  // namespace braid

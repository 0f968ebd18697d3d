#include "tests/testing/named_graph.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "absl/strings/str_cat.h"

namespace ns {

NamedGraph::NamedGraph(absl::string_view text)
    : graph_(std::make_shared<torch::jit::Graph>()) {
  torch::jit::parseIR(std::string(text), graph_.get(), values_);
}

torch::jit::Value* NamedGraph::Named(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw std::runtime_error(absl::StrCat("the graph has no value %", name));
  }
  return found->second;
}

std::string NamedGraph::NameOf(const torch::jit::Node& node) const {
  for (const auto& [name, value] : values_) {
    if (value == node.output(0)) {
      return name;
    }
  }
  throw std::runtime_error("the node has no name in the text");
}

}  // namespace ns

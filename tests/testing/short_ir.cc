#include "tests/testing/short_ir.h"

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

class Printer {
 public:
  std::string Print(const Graph& graph) {
    for (const Value* input : graph.inputs()) {
      const auto type = input->type()->cast<c10::ClassType>();
      if (type != nullptr && type->is_module()) {
        names_[input] = "self";
      } else {
        Define(input);
      }
    }
    PrintNodes(*graph.block(), "");
    absl::StrAppend(&text_, "return (", Names(graph.outputs()), ")");
    return text_;
  }

 private:
  static std::string ConstantText(const c10::IValue& value) {
    if (value.isNone()) {
      return "None";
    }
    if (value.isBool()) {
      return value.toBool() ? "True" : "False";
    }
    if (value.isInt() || value.isDouble()) {
      return value.isInt() ? absl::StrCat(value.toInt())
                           : absl::StrCat(value.toDouble());
    }
    if (value.isIntList()) {
      return absl::StrCat("[", absl::StrJoin(value.toIntVector(), ", "), "]");
    }
    if (value.isString()) {
      return absl::StrCat("\"", value.toStringRef(), "\"");
    }
    return absl::StrCat("<", value.tagKind(), ">");
  }

  void Define(const Value* value) {
    names_[value] = absl::StrCat("%", count_++);
  }

  std::string Names(at::ArrayRef<const Value*> values) const {
    return absl::StrJoin(
        values, ", ", [&](std::string* out, const Value* value) {
          const auto found = names_.find(value);
          absl::StrAppend(
              out, found == names_.end() ? "<undefined>" : found->second);
        });
  }

  void PrintNodes(const Block& block, const std::string& indent) {
    for (const Node* node : block.nodes()) {
      PrintNode(*node, indent);
    }
  }

  void PrintNode(const Node& node, const std::string& indent) {
    if (node.kind() == prim::Constant) {
      names_[node.output()] = ConstantText(*ConstantOf(*node.output()));
      return;
    }
    if (node.kind() == prim::GetAttr) {
      names_[node.output()] =
          absl::StrCat(names_[node.input()], ".", node.s(c10::attr::name));
      return;
    }
    std::string call;
    if (node.kind() == prim::CallMethod) {
      call = absl::StrCat(names_[node.input(0)], ".", node.s(c10::attr::name),
                          "(", Names(node.inputs().slice(1)), ")");
    } else {
      call = absl::StrCat(node.kind().toQualString(), "(", Names(node.inputs()),
                          ")");
    }
    const std::string& blocks = PrintBlocks(node, indent);
    const bool has_result =
        !node.outputs().empty() &&
        node.outputs()[0]->type()->kind() != c10::TypeKind::NoneType;
    std::string line = indent;
    if (has_result) {
      for (const Value* output : node.outputs()) {
        Define(output);
      }
      absl::StrAppend(&line, Names(node.outputs()), " = ");
    }
    absl::StrAppend(&text_, line, call, "\n", blocks);
  }

  // The outputs of a node are numbered behind the values in its blocks.
  std::string PrintBlocks(const Node& node, const std::string& indent) {
    const std::string before = std::move(text_);
    text_.clear();
    bool is_first = true;
    for (const Block* block : node.blocks()) {
      std::string title = is_first ? "then" : "else";
      if (node.kind() != prim::If) {
        for (const Value* parameter : block->inputs()) {
          Define(parameter);
        }
        title = absl::StrCat("block(", Names(block->inputs()), ")");
      }
      is_first = false;
      absl::StrAppend(&text_, indent, "  ", title, ":\n");
      PrintNodes(*block, indent + "    ");
      absl::StrAppend(&text_, indent, "    -> (", Names(block->outputs()),
                      ")\n");
    }
    std::string blocks = std::move(text_);
    text_ = before;
    return blocks;
  }

  llvm::DenseMap<const Value*, std::string> names_;
  int count_ = 0;
  std::string text_;
};

}  // namespace

std::string ShortIr(const Graph& graph) { return Printer().Print(graph); }

void ExpectShortIr(const Graph& graph, absl::string_view text) {
  EXPECT_EQ(ShortIr(graph), std::string(absl::StripPrefix(text, "\n")));
}

}  // namespace ns

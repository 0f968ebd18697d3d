#include "tests/testing/chain_graph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/graph/module_path.h"
#include "tests/testing/chain_layers.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

using Ints = std::vector<int64_t>;

enum class Mode { kFloat, kQuantized, kDynamic };

// The forms in which a value of the network exists in the graph so far.
struct Forms {
  Value* in_float = nullptr;
  Value* quantized = nullptr;
};

// The module that nodes come from.
struct Origin {
  std::string fqn;
  std::string type;
};

std::string ModuleType(const ChainStep& step, int dims) {
  switch (step.op) {
    case ChainOp::kConv:
      return absl::StrCat("conv.Conv", dims, "d");
    case ChainOp::kLinear:
      return "linear.Linear";
    case ChainOp::kNorm:
      return absl::StrCat("batchnorm.BatchNorm", dims == 0 ? 1 : dims, "d");
    case ChainOp::kDropout:
      return "dropout.Dropout";
    case ChainOp::kMaxPool:
    case ChainOp::kAvgPool:
    case ChainOp::kGlobalPool:
      return "pooling.Pool2d";
    default:
      return "activation.Activation";
  }
}

class Emitter {
 public:
  Emitter(const Chain& chain, const ChainGraphOptions& options,
          const std::vector<ChainQuantization>& quantization, int64_t seed)
      : chain_(chain),
        options_(options),
        quantization_(quantization),
        random_(seed),
        graph_(std::make_shared<Graph>()),
        forms_(chain.values.size()) {
    if (quantization_.empty()) {
      quantization_.resize(chain.values.size());
    }
  }

  ChainGraph Run() && {
    Value* x = graph_->addInput();
    x->setType(c10::TensorType::get());
    flag_ = graph_->addInput(options_.name_prefix + "flag");
    flag_->setType(c10::BoolType::get());
    forms_[chain_.body.input].in_float = Record(x, chain_.body.input);
    NextMode();
    EmitBlock(chain_.body);
    graph_->registerOutput(InFloat(chain_.body.output));
    result_.graph = std::move(graph_);
    return std::move(result_);
  }

 private:
  bool Chance(double p) { return std::bernoulli_distribution(p)(random_); }

  void NextMode() {
    const double choice = std::uniform_real_distribution<double>(0, 1)(random_);
    mode_ = choice < options_.quantized                      ? Mode::kQuantized
            : choice < options_.quantized + options_.dynamic ? Mode::kDynamic
                                                             : Mode::kFloat;
  }

  int Dims(int value) const { return chain_.values[value].dims; }

  // Gives a tensor a name, under which its place is recorded.
  Value* Record(Value* made, int value) {
    const std::string name = absl::StrCat(options_.name_prefix, names_++);
    made->setDebugName(name);
    result_.places[name] = chain_.values[value].place;
    return made;
  }

  Value* Constant(const c10::IValue& value) {
    if (!value.isObject()) {
      return graph_->insertConstant(value);
    }
    Node* node = graph_->insertNode(graph_->create(prim::Constant));
    node->ival_(c10::attr::value, value);
    return node->output()->setType(value.type());
  }

  // Inserts a node that computes `value` of the network. Arguments are values
  // or constants.
  struct Argument {
    Argument(Value* v) : value(v) {}                 // NOLINT
    Argument(const c10::IValue& c) : constant(c) {}  // NOLINT
    Argument(double c) : constant(c) {}              // NOLINT
    Argument(int64_t c) : constant(c) {}             // NOLINT
    Argument(bool c) : constant(c) {}                // NOLINT
    Argument(const Ints& c) : constant(c) {}         // NOLINT
    Argument(const at::Tensor& c) : constant(c) {}   // NOLINT
    Value* value = nullptr;
    c10::IValue constant;
  };

  Value* Insert(const std::string& op, int value,
                const std::vector<Argument>& arguments,
                const Origin& origin = {}) {
    Node* node = graph_->create(c10::Symbol::fromQualString(op));
    for (const Argument& argument : arguments) {
      node->addInput(argument.value != nullptr ? argument.value
                                               : Constant(argument.constant));
    }
    graph_->insertNode(node);
    node->output()->setType(c10::TensorType::get());
    if (options_.has_paths) {
      ModulePath path;
      const std::string fqn =
          origin.fqn.empty() ? "" : options_.path_prefix + origin.fqn;
      const std::string type =
          origin.fqn.empty() ? "Network" : "torch.nn." + origin.type;
      path.fqn = fqn;
      path.type = type;
      path.call_index = CallOf(origin.fqn, op);
      node->setScope(ScopeFor(path, graph_->current_scope()));
    }
    return Record(node->output(), value);
  }

  // Returns the call of its module that a node belongs to. Each node is a call
  // of its own, except for the relu of a fused module.
  int CallOf(const std::string& fqn, const std::string& op) {
    const bool goes_on = !fqn.empty() && fqn == last_fqn_ &&
                         op == "aten::relu" && last_op_ != op &&
                         last_op_ != "aten::relu_";
    last_fqn_ = fqn;
    last_op_ = op;
    if (fqn.empty()) {
      return 0;
    }
    return goes_on ? calls_[fqn] - 1 : calls_[fqn]++;
  }

  Value* InFloat(int value) {
    Forms& forms = forms_[value];
    if (forms.in_float != nullptr) {
      return forms.in_float;
    }
    Value* made = Insert("aten::dequantize", value, {forms.quantized});
    if (!Chance(options_.dequantizes_again)) {
      forms.in_float = made;
    }
    return made;
  }

  Value* Quantized(int value) {
    Forms& forms = forms_[value];
    if (forms.quantized == nullptr) {
      forms.quantized = Insert("aten::quantize_per_tensor", value,
                               {forms.in_float, Scale(value), ZeroPoint(value),
                                static_cast<int64_t>(at::ScalarType::QUInt8)});
    }
    return forms.quantized;
  }

  Argument Scale(int value) const { return quantization_[value].scale; }
  Argument ZeroPoint(int value) const {
    return quantization_[value].zero_point;
  }

  void EmitBlock(const ChainBlock& block) {
    for (size_t i = 0; i < block.steps.size();) {
      if (Chance(options_.change)) {
        NextMode();
      }
      i += EmitStep(block, i);
    }
  }

  // Whether step `i` is `op` and alone uses the result of the step before.
  bool Follows(const ChainBlock& block, size_t i, ChainOp op) const {
    return i < block.steps.size() && block.steps[i].op == op &&
           block.steps[i].x == block.steps[i - 1].out &&
           chain_.values[block.steps[i].x].uses == 1;
  }

  // Emits step `i` and the steps that are fused into it; returns how many these
  // are.
  int EmitStep(const ChainBlock& block, size_t i) {
    const ChainStep& step = block.steps[i];
    switch (step.op) {
      case ChainOp::kConv:
      case ChainOp::kLinear:
        return EmitWeighted(block, i);
      case ChainOp::kNorm:
      case ChainOp::kAdd:
      case ChainOp::kMul:
        if (mode_ == Mode::kQuantized) {
          return EmitQuantizedWithRelu(block, i);
        }
        break;
      case ChainOp::kDropout:
        EmitDropout(step);
        return 1;
      case ChainOp::kIf:
        EmitIf(step);
        return 1;
      case ChainOp::kLoop:
        EmitLoop(step);
        return 1;
      default:
        if (mode_ == Mode::kQuantized) {
          EmitQuantized(step);
          return 1;
        }
    }
    EmitFloat(step);
    return 1;
  }

  int EmitWeighted(const ChainBlock& block, size_t i) {
    const ChainStep& step = block.steps[i];
    size_t end = i + 1;
    // Weights that several steps share have one form, so they are not folded.
    const bool folded =
        !step.is_called_again && Follows(block, end, ChainOp::kNorm) &&
        block.steps[end].layer == step.layer && Chance(options_.folds);
    end += folded ? 1 : 0;
    const bool has_relu = Follows(block, end, ChainOp::kRelu);
    const bool is_dynamic =
        mode_ == Mode::kDynamic && step.op == ChainOp::kLinear;
    if (mode_ == Mode::kQuantized || is_dynamic) {
      const bool relu = has_relu && Chance(options_.fuses);
      end += relu ? 1 : 0;
      EmitQuantizedWeighted(step, block.steps[end - 1].out, folded, relu,
                            is_dynamic);
      return static_cast<int>(end - i);
    }
    const int out = block.steps[end - 1].out;
    // The float model may have a fused module, whose relu is an op of its own.
    const bool in_one_module =
        has_relu && options_.folds > 0 && Chance(options_.folds);
    const Origin origin = {
        step.fqn, in_one_module ? "intrinsic.modules.fused.ConvReLU"
                                : "modules." + ModuleType(step, Dims(step.x))};
    EmitFloatWeighted(step, out, folded, origin);
    if (in_one_module) {
      const ChainStep& relu = block.steps[end];
      forms_[relu.out].in_float =
          Insert("aten::relu", relu.out, {forms_[out].in_float}, origin);
      ++end;
    }
    return static_cast<int>(end - i);
  }

  void EmitFloatWeighted(const ChainStep& step, int out, bool folded,
                         const Origin& origin) {
    const int dims = Dims(step.x);
    const ChainWeights& weights = ChainWeightsAt(dims, step.layer, folded);
    std::vector<Argument> arguments = {InFloat(step.x), weights.weight,
                                       weights.bias};
    if (dims > 0) {
      const Ints ones(dims, 1);
      arguments.insert(arguments.end(), {ones, ones, ones, int64_t{1}});
    }
    forms_[out].in_float =
        Insert("aten::" + ChainOpName(step, dims), out, arguments, origin);
  }

  void EmitQuantizedWeighted(const ChainStep& step, int out, bool folded,
                             bool relu, bool is_dynamic) {
    const int dims = Dims(step.x);
    const c10::IValue& packed =
        ChainWeightsAt(dims, step.layer, folded).PackedFor(relu, is_dynamic);
    const Origin origin = {
        step.fqn, relu ? "intrinsic.quantized.modules.conv_relu.ConvReLU"
                       : "quantized.modules." + ModuleType(step, dims)};
    const std::string op = absl::StrCat("quantized::", ChainOpName(step, dims),
                                        relu ? "_relu" : "");
    if (is_dynamic) {
      forms_[out].in_float = Insert(op + "_dynamic", out,
                                    {InFloat(step.x), packed, false}, origin);
      return;
    }
    forms_[out].quantized =
        Insert(op, out, {Quantized(step.x), packed, Scale(out), ZeroPoint(out)},
               origin);
  }

  int EmitQuantizedWithRelu(const ChainBlock& block, size_t i) {
    const ChainStep& step = block.steps[i];
    const bool relu =
        Follows(block, i + 1, ChainOp::kRelu) && Chance(options_.fuses);
    const int out = block.steps[relu ? i + 1 : i].out;
    const std::string suffix = relu ? "_relu" : "";
    if (step.other >= 0) {
      // The order matters: one of them may have to be quantized.
      Value* x = Quantized(step.x);
      Value* other = Quantized(step.other);
      forms_[out].quantized =
          Insert("quantized::" + ChainOpName(step, 0) + suffix, out,
                 {x, other, Scale(out), ZeroPoint(out)});
      return relu ? 2 : 1;
    }
    const int dims = Dims(step.x);
    const ChainNorm& norm = ChainNormAt(step.layer);
    const Origin origin = {
        step.fqn, relu ? "intrinsic.quantized.modules.bn_relu.BNReLU"
                       : "quantized.modules." + ModuleType(step, dims)};
    forms_[out].quantized =
        Insert(absl::StrCat("quantized::batch_norm", dims == 0 ? 1 : dims, "d",
                            suffix),
               out,
               {Quantized(step.x), norm.weight, norm.bias, norm.mean,
                norm.variance, kChainEpsilon, Scale(out), ZeroPoint(out)},
               origin);
    return relu ? 2 : 1;
  }

  // Emits ops that take a float tensor as well as a quantized one.
  Value* EmitEither(const ChainStep& step, Value* x) {
    const Origin origin = {step.fqn,
                           "modules." + ModuleType(step, Dims(step.x))};
    const std::string op = "aten::" + ChainOpName(step, Dims(step.x));
    const Ints window = {3, 3};
    const Ints ones = {1, 1};
    switch (step.op) {
      case ChainOp::kRelu6:
        return Insert("aten::hardtanh", step.out, {x, 0.0, 6.0}, origin);
      case ChainOp::kHardtanh:
        return Insert(op, step.out, {x, kChainHardtanhMin, kChainHardtanhMax},
                      origin);
      case ChainOp::kLeakyRelu:
        return Insert(op, step.out, {x, kChainLeak}, origin);
      case ChainOp::kDropout:
        return Insert(op, step.out, {x, 0.5, false}, origin);
      case ChainOp::kMaxPool:
        return Insert(op, step.out, {x, window, ones, ones, ones, false},
                      origin);
      case ChainOp::kAvgPool:
        return Insert(op, step.out,
                      {x, window, ones, ones, false, true, c10::IValue()},
                      origin);
      case ChainOp::kGlobalPool:
        return Insert(op, step.out, {x, ones}, origin);
      case ChainOp::kFlatten:
        return Insert(op, step.out, {x, int64_t{1}, int64_t{-1}}, origin);
      default:
        return Insert(op, step.out, {x}, origin);
    }
  }

  void EmitQuantized(const ChainStep& step) {
    Value* x = Quantized(step.x);
    const Origin origin = {step.fqn,
                           "quantized.modules." + ModuleType(step, 0)};
    const std::string op = "quantized::" + ChainOpName(step, 0);
    Value*& out = forms_[step.out].quantized;
    switch (step.op) {
      case ChainOp::kLeakyRelu:
        out =
            Insert(op, step.out,
                   {x, kChainLeak, false, Scale(step.out), ZeroPoint(step.out)},
                   origin);
        break;
      case ChainOp::kHardswish:
        out = Insert(op, step.out, {x, Scale(step.out), ZeroPoint(step.out)},
                     origin);
        break;
      case ChainOp::kSigmoid:
        out = Insert(op, step.out, {x, 1.0 / 256, int64_t{0}}, origin);
        break;
      default:
        out = EmitEither(step, x);
    }
  }

  void EmitFloat(const ChainStep& step) {
    Value* x = InFloat(step.x);
    Value*& out = forms_[step.out].in_float;
    if (step.other >= 0) {
      std::vector<Argument> arguments = {x, InFloat(step.other)};
      if (step.op == ChainOp::kAdd) {
        arguments.push_back(int64_t{1});
      }
      out = Insert("aten::" + ChainOpName(step, 0), step.out, arguments);
    } else if (step.op == ChainOp::kNorm) {
      const ChainNorm& norm = ChainNormAt(step.layer);
      out = Insert("aten::batch_norm", step.out,
                   {x, norm.weight, norm.bias, norm.mean, norm.variance, false,
                    0.1, kChainEpsilon, false},
                   {step.fqn, "modules." + ModuleType(step, Dims(step.x))});
    } else {
      out = EmitEither(step, x);
    }
  }

  void EmitDropout(const ChainStep& step) {
    if (Chance(options_.drops)) {
      forms_[step.out] = forms_[step.x];
    } else if (mode_ == Mode::kQuantized) {
      forms_[step.out].quantized = EmitEither(step, Quantized(step.x));
    } else {
      forms_[step.out].in_float = EmitEither(step, InFloat(step.x));
    }
  }

  // Returns the form in which a value crosses the border of control flow.
  Value* AsBorder(int value, bool quantized) {
    return quantized ? Quantized(value) : InFloat(value);
  }
  void SetBorder(int value, bool quantized, Value* made) {
    made->setType(c10::TensorType::get());
    (quantized ? forms_[value].quantized : forms_[value].in_float) =
        Record(made, value);
  }

  // Emits `block`. Values that are made inside are not seen outside.
  void EmitInside(const ChainBlock& block, Block* into, bool quantized,
                  Value* condition) {
    const std::vector<Forms> outside = forms_;
    const torch::jit::WithInsertPoint inside(into);
    if (condition != nullptr) {
      SetBorder(block.input, quantized, into->addInput());
    }
    EmitBlock(block);
    Value* out = AsBorder(block.output, quantized);
    if (condition != nullptr) {
      into->registerOutput(Constant(true));
    }
    into->registerOutput(out);
    forms_ = outside;
  }

  void EmitIf(const ChainStep& step) {
    const bool quantized = mode_ == Mode::kQuantized;
    Node* node = graph_->insertNode(graph_->create(prim::If, {flag_}));
    for (const ChainBlock& arm : step.blocks) {
      EmitInside(arm, node->addBlock(), quantized, nullptr);
    }
    SetBorder(step.out, quantized, node->output());
  }

  void EmitLoop(const ChainStep& step) {
    const bool quantized = mode_ == Mode::kQuantized;
    Value* trips = Constant(int64_t{kChainTrips});
    Value* condition = Constant(true);
    Value* carried = AsBorder(step.x, quantized);
    Node* node = graph_->insertNode(
        graph_->create(prim::Loop, {trips, condition, carried}));
    Block* body = node->addBlock();
    body->addInput()->setType(c10::IntType::get());
    EmitInside(step.blocks[0], body, quantized, condition);
    SetBorder(step.out, quantized, node->output());
  }

  const Chain& chain_;
  const ChainGraphOptions& options_;
  std::vector<ChainQuantization> quantization_;
  std::mt19937_64 random_;
  std::shared_ptr<Graph> graph_;
  Value* flag_ = nullptr;
  Mode mode_ = Mode::kFloat;
  std::vector<Forms> forms_;
  int names_ = 0;
  // The number of calls so far, by module path; and path and op of the last
  // node.
  std::map<std::string, int> calls_;
  std::string last_fqn_;
  std::string last_op_;
  ChainGraph result_;
};

}  // namespace

ChainGraph MakeChainGraph(const Chain& chain, const ChainGraphOptions& options,
                          const std::vector<ChainQuantization>& quantization,
                          int64_t seed) {
  return Emitter(chain, options, quantization, seed).Run();
}

}  // namespace ns

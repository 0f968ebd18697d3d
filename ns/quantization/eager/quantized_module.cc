#include "ns/quantization/eager/quantized_module.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/graph_walk.h"
#include "ir/insert_op.h"
#include "ir/make_module.h"
#include "ir/model_graph.h"
#include "ir/module_editor.h"
#include "ir/module_path.h"
#include "ir/node_view.h"
#include "ir/pass_context.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ir/verifier.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/module_observers.h"
#include "ns/quantization/eager/quantized_types.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/analysis/output_scale.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/quantization/calibrated_value.h"
#include "passes/quantization/constant_weights.h"
#include "passes/quantization/default_observers.h"
#include "passes/quantization/fit_qconfig.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/int8_form.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/quantization/quantize_dynamic.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/observer.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;

// How the output of a module is quantized.
struct OutputQuantization {
  double scale = 1;
  int64_t zero_point = 0;
  at::ScalarType dtype = at::kQUInt8;
};

// The attribute or constant `name` of `module`, or of the first part of a fused
// module.
std::optional<c10::IValue> FieldOf(const Module& module,
                                   const std::string& name) {
  if (module.hasattr(name)) {
    return module.attr(name);
  }
  if (const auto slot = module.type()->findConstantSlot(name)) {
    return module.type()->getConstant(*slot);
  }
  if (module.hasattr("0") && module.attr("0").isModule()) {
    return FieldOf(module.attr("0").toModule(), name);
  }
  return std::nullopt;
}

// A line of `warnings`, which may be null.
void Warn(std::vector<std::string>* warnings, std::string line) {
  if (warnings != nullptr) {
    warnings->push_back(std::move(line));
  }
}

class Maker {
 public:
  Maker(const Module& module, const QuantizedType& type, const QConfig& qconfig,
        std::vector<std::string>* warnings)
      : module_(module),
        type_(type),
        qconfig_(qconfig),
        warnings_(warnings),
        made_(NewModule(type.name)) {}

  absl::StatusOr<Module> Make() {
    if (type_.qparams != QParamsForm::kNone) {
      NS_RETURN_IF_ERROR(ReadObserver());
    }
    AddFields();
    switch (type_.source) {
      case CodeSource::kScript:
        NS_RETURN_IF_ERROR(AddQuantizedWeight());
        NS_RETURN_IF_ERROR(DefineScript());
        break;
      case CodeSource::kFunctional:
        NS_RETURN_IF_ERROR(DefineFunctions());
        break;
      case CodeSource::kQuantizeLayer:
      case CodeSource::kDynamicLayer:
      case CodeSource::kTable:
        NS_RETURN_IF_ERROR(QuantizeCode());
        break;
    }
    return made_;
  }

 private:
  absl::Status ReadObserver() {
    const c10::IValue object = module_.hasattr(kObserverAttribute)
                                   ? module_.attr(kObserverAttribute)
                                   : c10::IValue();
    ObserverPtr observer;
    if (object.isCustomClass()) {
      observer = object.type() == c10::getTypePtr<FakeQuantizePtr>()
                     ? object.toCustomClass<FakeQuantize>()->observer()
                     : object.toCustomClass<Observer>();
    }
    if (observer == nullptr) {
      return absl::InvalidArgumentError(
          "it has no observer; call Prepare with a qconfig for it first");
    }
    const CalibratedValue observed = AskObserver(observer);
    if (observer->seen().values == 0 && observer->seen().least_rank < 0) {
      Warn(warnings_,
           "its observer has seen no value; its output gets the scale 1 and "
           "the zero point 0");
    } else {
      NS_RETURN_IF_ERROR(observed.status);
      output_ = {observed.qparams.scale, observed.qparams.zero_point,
                 observer->config().dtype};
    }
    return absl::OkStatus();
  }

  // Attributes that do not depend on the code.
  void AddFields() {
    for (const std::string& name : type_.copied) {
      if (const auto value = FieldOf(module_, name)) {
        made_.register_attribute(name, value->type(), *value);
      }
    }
    for (const auto& [name, value] : type_.fixed) {
      made_.register_attribute(name, value.type(), value);
    }
    if (IsTypeNamed(type_.name, "EmbeddingBag")) {
      made_.register_attribute("pruned_weights", c10::BoolType::get(), false);
    }
    if (IsTypeNamed(type_.name, "Quantize")) {
      made_.register_attribute("dtype", c10::IntType::get(),
                               static_cast<int64_t>(output_.dtype));
    }
    const at::Tensor scale = at::scalar_tensor(output_.scale, at::kFloat);
    const at::Tensor zero_point =
        at::scalar_tensor(output_.zero_point, at::kLong);
    switch (type_.qparams) {
      case QParamsForm::kNone:
        break;
      case QParamsForm::kNumbers:
        made_.register_attribute("scale", c10::FloatType::get(), output_.scale);
        made_.register_attribute("zero_point", c10::IntType::get(),
                                 output_.zero_point);
        break;
      case QParamsForm::kScalars:
        made_.register_buffer("scale", scale);
        made_.register_buffer("zero_point", zero_point);
        break;
      case QParamsForm::kVectors:
        made_.register_buffer("scale", scale.reshape({1}));
        made_.register_buffer("zero_point", zero_point.reshape({1}));
        break;
    }
    if (type_.keeps_tensors) {
      KeepTensors(module_);
    }
  }

  // The script, with what the float op is given.
  absl::StatusOr<std::string> Script() const {
    if (type_.constants.empty()) {
      return type_.script;
    }
    NS_ASSIGN_OR_RETURN(const ModuleEditor copy, Unobserved());
    NS_ASSIGN_OR_RETURN(const ModelGraph flat,
                        ModelGraph::FromModule(copy.root()));
    NS_ASSIGN_OR_RETURN(const FloatSubgraph layer, OneLayer(flat.graph()));
    std::string script = type_.script;
    for (const std::string& name : type_.constants) {
      const Value* argument = InputNamed(*layer.subgraph.base, name);
      const auto constant =
          argument == nullptr ? std::nullopt : ConstantOf(*argument);
      if (!constant || !constant->isScalar()) {
        return absl::InvalidArgumentError(
            absl::StrCat("its ", name, " is not a constant number"));
      }
      // Reads back to the bit.
      const std::string text =
          constant->isInt() ? absl::StrCat(constant->toInt())
                            : absl::StrFormat("%.17g", constant->toDouble());
      script =
          absl::StrReplaceAll(script, {{absl::StrCat("{", name, "}"), text}});
    }
    return script;
  }

  // A copy of the module without its observer.
  absl::StatusOr<ModuleEditor> Unobserved() const {
    NS_ASSIGN_OR_RETURN(ModuleEditor copy, ModuleEditor::Copy(module_));
    if (copy.root().hasattr(kObserverAttribute)) {
      NS_RETURN_IF_ERROR(copy.Unhook("", kObserverAttribute));
    }
    return copy;
  }

  // Of `module` and its parts.
  void KeepTensors(const Module& module) {
    for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
      made_.register_parameter(parameter.name, parameter.value.detach(),
                               /*is_buffer=*/false);
    }
    for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
      made_.register_buffer(buffer.name, buffer.value);
    }
    for (const auto& part : module.named_children()) {
      KeepTensors(part.value);
    }
  }

  absl::Status AddQuantizedWeight() {
    if (!type_.quantizes_weight) {
      return absl::OkStatus();
    }
    const auto weight = FieldOf(module_, "weight");
    if (!weight || !weight->isTensor()) {
      return absl::InvalidArgumentError("it has no weight");
    }
    // The kernel takes one scale and quint8. It multiplies positive values with
    // what is nearest to 1 among the values that the weight can have, so 1 must
    // be one of them.
    const at::Tensor slopes = weight->toTensor().detach().reshape(-1);
    NS_ASSIGN_OR_RETURN(const at::Tensor with_one,
                        QuantizedBySpec(at::cat({slopes, at::ones({1})}),
                                        SpecOf(ObserverKind::kMinMax)));
    const at::Tensor quantized =
        with_one.slice(0, 0, slopes.numel()).contiguous();
    made_.register_attribute("weight", c10::TensorType::get(), quantized);
    return absl::OkStatus();
  }

  absl::Status DefineScript() {
    NS_ASSIGN_OR_RETURN(const std::string script, Script());
    return DefineMethods(made_, script);
  }

  // QFunctional has the methods that the code calls of its FloatFunctional.
  absl::Status DefineFunctions() {
    static const auto& scripts = *new std::map<std::string, std::string>{
        {"add",
         "(self, x: Tensor, y: Tensor)|add(x, y, self.scale, "
         "self.zero_point)"},
        {"add_relu",
         "(self, x: Tensor, y: Tensor)|add_relu(x, y, self.scale, "
         "self.zero_point)"},
        {"mul",
         "(self, x: Tensor, y: Tensor)|mul(x, y, self.scale, "
         "self.zero_point)"},
        {"cat",
         "(self, x: List[Tensor], dim: int = 0)|cat(x, dim, self.scale, "
         "self.zero_point)"},
        // The ops choose the scale by that of their input.
        {"add_scalar", "(self, x: Tensor, y: float)|add_scalar(x, y)"},
        {"mul_scalar", "(self, x: Tensor, y: float)|mul_scalar(x, y)"},
    };
    made_.register_module(kObserverAttribute, Identity());
    for (const torch::jit::Function* method : module_.type()->methods()) {
      const auto script = scripts.find(method->name());
      if (script == scripts.end()) {
        continue;
      }
      const std::vector<std::string> parts =
          absl::StrSplit(script->second, '|');
      NS_RETURN_IF_ERROR(DefineMethods(
          made_, absl::StrCat("def ", script->first, parts[0], " -> Tensor:\n",
                              "    return self.", kObserverAttribute,
                              ".forward(ops.quantized.", parts[1], ")\n")));
    }
    return absl::OkStatus();
  }

  absl::Status QuantizeCode() {
    NS_ASSIGN_OR_RETURN(const ModuleEditor copy, Unobserved());
    bool has_methods = false;
    for (const torch::jit::Function* method : module_.type()->methods()) {
      // TorchScript compiles overloads of forward as forward__0, forward__1.
      if (!absl::StartsWith(method->name(), "forward")) {
        continue;
      }
      has_methods = true;
      ModelGraphOptions options;
      options.method = method->name();
      NS_ASSIGN_OR_RETURN(ModelGraph flat,
                          ModelGraph::FromModule(copy.root(), options));
      NS_RETURN_IF_ERROR(type_.source == CodeSource::kQuantizeLayer
                             ? QuantizeLayer(flat)
                             : QuantizeDynamically(flat));
      NS_RETURN_IF_ERROR(TakeConstants(flat.graph()));
      torch::jit::EliminateDeadCode(flat.graph().block());
      NS_RETURN_IF_ERROR(VerifyGraph(flat.graph()));
      AddMethod(made_, method->name(), flat.shared_graph()->copy(),
                method->getSchema());
    }
    return has_methods ? absl::OkStatus()
                       : absl::InvalidArgumentError("it has no method forward");
  }

  // The one layer of `graph`.
  static absl::StatusOr<FloatSubgraph> OneLayer(Graph& graph) {
    std::vector<FloatSubgraph> layers =
        FindFloatSubgraphs(graph, {}, FusingOps::kLibTorch);
    if (layers.size() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its code has ", layers.size(),
          " layers that can be quantized; a quantized module has one"));
    }
    return std::move(layers.front());
  }

  absl::Status QuantizeLayer(ModelGraph& flat) {
    Graph& graph = flat.graph();
    if (graph.inputs().size() < 2 || !IsTensor(*graph.inputs()[1])) {
      return absl::InvalidArgumentError("it does not take a tensor");
    }
    NS_RETURN_IF_ERROR(DropSizes(flat));
    NS_ASSIGN_OR_RETURN(const FloatSubgraph layer, OneLayer(graph));
    Node* base = layer.subgraph.base;
    QConfig qconfig = qconfig_;
    if (FitWeight(layer, qconfig)) {
      Warn(warnings_,
           "its weight gets one scale; kernels of transposed convolutions do "
           "not take one for each channel");
    }
    NS_ASSIGN_OR_RETURN(Node * stand_in, DequantizeInput(graph));
    const int weight_input = PackedWeightInput(*base);
    if (weight_input >= 0) {
      const torch::jit::WithInsertPoint in_front(base);
      NS_ASSIGN_OR_RETURN(
          const at::Tensor weight,
          ConstantTensor(*base->input(weight_input), "its weight"));
      NS_ASSIGN_OR_RETURN(const at::Tensor quantized,
                          QuantizedBySpec(weight, qconfig.weight));
      NS_ASSIGN_OR_RETURN(Value * floats,
                          InsertOp(graph, "aten::dequantize",
                                   {graph.insertConstant(quantized)}));
      base->replaceInput(weight_input, floats);
    }
    {
      const torch::jit::WithInsertPoint behind(PlaceAfter(*layer.output));
      NS_ASSIGN_OR_RETURN(
          Value * quantized,
          InsertOp(graph, "aten::quantize_per_tensor",
                   {layer.output, output_.scale, output_.zero_point,
                    static_cast<int64_t>(output_.dtype)}));
      layer.output->replaceAllUsesAfterNodeWith(quantized->node(), quantized);
    }
    FoldReferenceQuantization::Options options;
    options.ns_ops = false;
    PassContext context;
    NS_RETURN_IF_ERROR(
        FoldReferenceQuantization(options).Run(flat, context).status());
    stand_in->output()->replaceAllUsesWith(graph.inputs()[1]);
    stand_in->destroy();
    return context.remarks().empty()
               ? absl::OkStatus()
               : absl::InvalidArgumentError(absl::StrCat(
                     context.remarks().front().op,
                     " stays in float: ", context.remarks().front().reason));
  }

  // Dequantizes the input of the code, which the module in front has quantized.
  // The fold looks for the node that did; the one that is returned stands in
  // for it.
  absl::StatusOr<Node*> DequantizeInput(Graph& graph) const {
    const torch::jit::WithInsertPoint at_front(*graph.nodes().begin());
    Value* input = graph.inputs()[1];
    NS_ASSIGN_OR_RETURN(
        Value * quantized,
        InsertOp(graph, "aten::quantize_per_tensor",
                 {input, 1.0, 0, static_cast<int64_t>(output_.dtype)}));
    NS_ASSIGN_OR_RETURN(Value * floats,
                        InsertOp(graph, "aten::dequantize", {quantized}));
    input->replaceAllUsesAfterNodeWith(floats->node(), floats);
    return quantized->node();
  }

  // Makes None of arguments that say which of several shapes the output has, as
  // output_size of a transposed convolution, and lets the code refuse others: a
  // quantized op has the shape that its weight was packed with.
  static absl::Status DropSizes(ModelGraph& flat) {
    Graph& graph = flat.graph();
    const c10::TypePtr sizes =
        c10::OptionalType::create(c10::ListType::ofInts());
    std::vector<Value*> dropped;
    for (Value* input : graph.inputs()) {
      if (*input->type() == *sizes) {
        const torch::jit::WithInsertPoint at_front(*graph.nodes().begin());
        input->replaceAllUsesWith(graph.insertConstant(c10::IValue()));
        dropped.push_back(input);
      }
    }
    if (!dropped.empty()) {
      std::shared_ptr<Graph> shared = flat.shared_graph();
      torch::jit::ConstantPropagation(shared);
    }
    for (Value* input : dropped) {
      const torch::jit::WithInsertPoint at_front(*graph.nodes().begin());
      Value* none = graph.insertConstant(c10::IValue());
      NS_ASSIGN_OR_RETURN(Value * is_given,
                          InsertOp(graph, "aten::__isnot__", {input, none}));
      Node* check =
          graph.insertNode(graph.create(c10::prim::If, {is_given}, 0));
      torch::jit::Block* given = check->addBlock();
      check->addBlock();
      const torch::jit::WithInsertPoint in_block(given);
      Value* message = graph.insertConstant(
          absl::StrCat("a quantized module takes no ", ValueName(*input)));
      graph.insertNode(
          graph.create(c10::prim::RaiseException, {message, none}, 0));
    }
    return absl::OkStatus();
  }

  absl::Status QuantizeDynamically(ModelGraph& flat) {
    NS_RETURN_IF_ERROR(OneLayer(flat.graph()).status());
    QuantizationReport report;
    QConfig qconfig = qconfig_;
    qconfig.activation = type_.source == CodeSource::kTable
                             ? PlaceholderSpec()
                             : DefaultDynamicQuantObserver();
    QuantizeDynamic::Options options;
    options.mapping.SetGlobal(qconfig);
    options.report = &report;
    PassContext context;
    NS_RETURN_IF_ERROR(QuantizeDynamic(options).Run(flat, context).status());
    if (!report.stayed_float.empty()) {
      const FloatLayer& layer = report.stayed_float.front();
      return absl::InvalidArgumentError(
          absl::StrCat(layer.op, " stays in float: ", layer.reason));
    }
    return absl::OkStatus();
  }

  // Makes attributes, under their names in PyTorch, of what the code has as
  // constants.
  absl::Status TakeConstants(Graph& graph) {
    size_t packed = 0;
    std::map<Value*, Value*> taken;
    std::vector<Node*> nodes;
    ForEachNode(graph.block(), [&](Node* node) { nodes.push_back(node); });
    for (Node* node : nodes) {
      const int scale = OutputScaleArgument(*node);
      for (size_t i = 0; i < node->inputs().size(); ++i) {
        Value* input = node->input(i);
        const bool is_constant =
            input->node()->kind() == c10::prim::Constant && ConstantOf(*input);
        if (!is_constant) {
          continue;
        }
        const auto place = static_cast<int>(i);
        Value* value = nullptr;
        if (type_.qparams != QParamsForm::kNone && scale >= 0 &&
            (place == scale || place == scale + 1)) {
          NS_ASSIGN_OR_RETURN(
              value,
              QParam(graph, *node, place == scale ? "scale" : "zero_point"));
        } else if (const auto found = taken.find(input); found != taken.end()) {
          value = found->second;
        } else {
          NS_ASSIGN_OR_RETURN(value, Take(graph, *input, packed));
          taken[input] = value;
        }
        if (value != nullptr) {
          node->replaceInput(i, value);
        }
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Value*> QParam(Graph& graph, Node& user,
                                const std::string& name) {
    const torch::jit::WithInsertPoint in_front(&user);
    Value* value = graph.insertGetAttr(Self(graph), name);
    value->setType(made_.attr(name).type());
    if (type_.qparams == QParamsForm::kNumbers) {
      return value;
    }
    return InsertOp(graph, name == "scale" ? "aten::Float" : "aten::Int",
                    {value});
  }

  // The attribute that takes the place of a constant; null where it stays.
  absl::StatusOr<Value*> Take(Graph& graph, Value& constant, size_t& packed) {
    const c10::IValue value = *ConstantOf(constant);
    const torch::jit::WithInsertPoint at_front(*graph.nodes().begin());
    if (value.isCustomClass()) {
      if (type_.packed.empty()) {
        return nullptr;
      }
      const std::string& name =
          type_.packed[std::min(packed, type_.packed.size() - 1)];
      const std::string path =
          absl::StrReplaceAll(name, {{"#", absl::StrCat(packed)}});
      ++packed;
      return GetOrAdd(graph, path, value);
    }
    if (type_.keeps_tensors && value.isTensor() && value.toTensor().defined()) {
      for (const auto& attribute : made_.named_attributes(/*recurse=*/false)) {
        if (attribute.value.isTensor() &&
            attribute.value.toTensor().is_alias_of(value.toTensor()) &&
            attribute.value.toTensor().sizes() == value.toTensor().sizes()) {
          Value* read = graph.insertGetAttr(Self(graph), attribute.name);
          return read->setType(c10::TensorType::get());
        }
      }
    }
    return nullptr;
  }

  // Reads the attribute at `path`, which is set to `value` where it is missing.
  absl::StatusOr<Value*> GetOrAdd(Graph& graph, const std::string& path,
                                  const c10::IValue& value) {
    Module owner = made_;
    Value* object = Self(graph);
    const std::vector<std::string> names = absl::StrSplit(path, '.');
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      if (!owner.hasattr(names[i])) {
        Module inner = NewModule(type_.packed_classes[i]);
        if (type_.has_dtype) {
          AddDtype(inner);
          AddDtype(made_);
        }
        NS_RETURN_IF_ERROR(
            DefineMethods(inner,
                          "def forward(self, x: Tensor) -> Tensor:\n"
                          "    return x\n"));
        owner.register_module(names[i], inner);
      }
      owner = owner.attr(names[i]).toModule();
      object = graph.insertGetAttr(object, names[i])->setType(owner.type());
    }
    if (!owner.hasattr(names.back())) {
      owner.register_attribute(names.back(), value.type(), value);
    }
    return graph.insertGetAttr(object, names.back())->setType(value.type());
  }

  // What the weights are quantized to. Only modules of tables have it
  // themselves.
  void AddDtype(Module& module) {
    const bool is_outer = module._ivalue() == made_._ivalue();
    if (!module.hasattr("dtype") &&
        (!is_outer || type_.source == CodeSource::kTable)) {
      module.register_attribute(
          "dtype", c10::IntType::get(),
          static_cast<int64_t>(qconfig_.weight.config.dtype));
    }
  }

  // The first input of a method; it has its new type, so that the code can read
  // new attributes.
  Value* Self(Graph& graph) { return graph.inputs()[0]->setType(made_.type()); }

  const Module& module_;
  const QuantizedType& type_;
  const QConfig& qconfig_;
  std::vector<std::string>* const warnings_;
  OutputQuantization output_;
  Module made_;
};

// A copy of `module` with weights rounded to half precision and back.
absl::StatusOr<Module> WithHalfWeights(const Module& module) {
  NS_ASSIGN_OR_RETURN(ModuleEditor copy, ModuleEditor::Copy(module));
  for (const std::string& path : copy.Paths()) {
    NS_ASSIGN_OR_RETURN(Module part, copy.At(path));
    for (const auto& attribute : part.named_attributes(/*recurse=*/false)) {
      if (attribute.value.isTensor() &&
          absl::StartsWith(attribute.name, "weight")) {
        const at::Tensor weight = attribute.value.toTensor().detach();
        part.setattr(attribute.name, weight.to(at::kHalf).to(weight.dtype()));
      }
    }
  }
  return copy.root();
}

}  // namespace

absl::StatusOr<Module> MakeQuantizedModule(const Module& module,
                                           absl::string_view type,
                                           const QConfig& qconfig,
                                           std::vector<std::string>* warnings) {
  const QuantizedType* quantized = FindQuantizedType(type);
  if (quantized == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no quantized module of type '", type,
        "' can be made; map to a type of GetDefaultStaticQuantModuleMappings "
        "or GetDefaultDynamicQuantModuleMappings, or give a factory"));
  }
  return CatchTorchErrors([&]() -> absl::StatusOr<Module> {
    if (quantized->source == CodeSource::kDynamicLayer &&
        ModeOf(qconfig.weight) == QuantizationMode::kHalf) {
      return WithHalfWeights(module);
    }
    return Maker(module, *quantized, qconfig, warnings).Make();
  });
}

}  // namespace ns

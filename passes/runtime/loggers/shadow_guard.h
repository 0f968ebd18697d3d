// Lets a model run on where one of its shadows fails.
#ifndef PASSES_RUNTIME_LOGGERS_SHADOW_GUARD_H_
#define PASSES_RUNTIME_LOGGERS_SHADOW_GUARD_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/custom_class.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns {

// Guards the shadows of one match. A shadow computes in float with values of
// the quantized model, whose shapes may not fit it: that must not end the run
// of the model that it stands beside. A shadow that failed once does not run
// again.
//
// The operator `ns::run_shadow` runs a shadow, which is a method of the model:
//
//   %made : bool, %outputs : Tensor[] =
//       ns::run_shadow(%guard, %self, "ns_shadow_0", 2, %x, %y)
//
// It returns the `2` tensors that `%self.ns_shadow_0(%x, %y)` returns as a
// list, and whether it could: if not, the tensors are empty.
//
// Registered as torch.classes.ns.ShadowGuard with methods `begin` and `end`,
// which mark where a shadow stands as long as it is no method yet (see
// passes/instrument/guarded_shadow.h), `layer`, `reason` and `clear`. It saves
// and loads with the layer and the reason.
class ShadowGuard final : public torch::CustomClassHolder {
 public:
  explicit ShadowGuard(std::string layer, std::string reason = "")
      : layer_(std::move(layer)), reason_(std::move(reason)) {}

  // The name of the match, SubgraphMatch::name.
  const std::string& layer() const { return layer_; }

  // Why the shadow does not run: one line; empty while it does.
  const std::string& reason() const { return reason_; }
  bool HasFailed() const { return !reason_.empty(); }

  // Lets the shadow run again.
  void Clear() { reason_.clear(); }

  // Returns what `method` of the module `self` returns for `arguments`, a list
  // of tensors; nothing where it fails now or has failed before, or where
  // `self` has no such method.
  std::optional<std::vector<at::Tensor>> Run(
      const c10::IValue& self, const std::string& method,
      const std::vector<c10::IValue>& arguments);

 private:
  // Finds `method` of `type`. Throws if there is none.
  void Find(const c10::ClassTypePtr& type, const std::string& method);
  // Runs the method without the executor; `stack` holds its inputs.
  void RunCode(torch::jit::Stack& stack);

  std::string layer_;
  std::string reason_;
  // The method that ran last, and its class. Looking it up takes time: a class
  // has as many methods as the model has shadows.
  c10::ClassTypePtr type_;
  torch::jit::Function* function_ = nullptr;
  // What RunCode runs; empty before it did.
  torch::jit::Code code_;
};

using ShadowGuardPtr = c10::intrusive_ptr<ShadowGuard>;

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_SHADOW_GUARD_H_

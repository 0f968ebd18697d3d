// Collects what the passes of one run report: why ops stayed as they were, and
// which values took the place of others.
#ifndef IR_GRAPH_PASS_CONTEXT_H_
#define IR_GRAPH_PASS_CONTEXT_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Why an op stayed as it was.
struct PassRemark {
  std::string op;    // "quantized::batch_norm2d"
  std::string name;  // CallName of its module: "layer1.0.bn1", "fc@1"
  std::string
      reason;        // one phrase: the message of a Refusal (ir/base/refusal.h)
  std::string pass;  // "lower-to-fbgemm"; empty outside of pipelines
};

// The reports of one run over one model, in one thread.
class PassContext {
 public:
  // A listener is called with an output of a node that is about to be
  // destroyed, and the value that takes its place.
  using ReplacementListener =
      std::function<void(const torch::jit::Value& old, torch::jit::Value& now)>;

  // Notes that `node` stays as it is.
  void Remark(const torch::jit::Node& node, absl::string_view reason);

  // The remarks in the order in which they were made.
  const std::vector<PassRemark>& remarks() const { return remarks_; }

  // To be called by passes when `now` has taken the place of `old`, before they
  // destroy the node of `old`. It calls the listeners.
  void Replaced(const torch::jit::Value& old, torch::jit::Value& now);

  // Sets the pass that later remarks come from.
  void set_pass(absl::string_view name) { pass_ = std::string(name); }

 private:
  friend class ScopedReplacementListener;

  std::string pass_;
  std::vector<PassRemark> remarks_;
  std::vector<ReplacementListener> listeners_;
};

// Calls `listener` for all replacements while the object lives. Such objects
// must be destroyed in the reverse order of their making.
class ScopedReplacementListener {
 public:
  ScopedReplacementListener(PassContext& context,
                            PassContext::ReplacementListener listener)
      : context_(context) {
    context_.listeners_.push_back(std::move(listener));
  }
  ~ScopedReplacementListener() { context_.listeners_.pop_back(); }
  ScopedReplacementListener(const ScopedReplacementListener&) = delete;
  ScopedReplacementListener& operator=(const ScopedReplacementListener&) =
      delete;

 private:
  PassContext& context_;
};

}  // namespace ns

#endif  // IR_GRAPH_PASS_CONTEXT_H_

#include "passes/instrument/pair/attached_comparer.h"

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

namespace {

constexpr char kPrefix[] = "ns_comparer_";

}  // namespace

AttachedComparer::AttachedComparer(const PairComparerOptions& options,
                                   int& attached)
    : object_(c10::make_intrusive<PairComparer>(options)),
      attached_(&attached) {}

absl::Status AttachedComparer::Call(ModelGraph& host, const std::string& method,
                                    const std::vector<Value*>& arguments,
                                    Node* place) {
  if (attribute_.empty()) {
    Attach(host.module());
  }
  NS_ASSIGN_OR_RETURN(Value * result, InsertMethodCall(host, attribute_, method,
                                                       arguments, place));
  calls_.push_back(result->node());
  return absl::OkStatus();
}

void AttachedComparer::Remove() {
  for (Node* call : calls_) {
    Node* get = call->input(0)->node();
    call->destroy();
    get->destroy();
  }
  calls_.clear();
  attribute_.clear();
}

PairComparerPtr AttachedComparer::object() const {
  return attribute_.empty() ? PairComparerPtr() : object_;
}

void AttachedComparer::Attach(torch::jit::Module& module) {
  // The search for a free name starts where the last one was found: there are
  // thousands.
  attribute_ = AttachAttribute(module, kPrefix, c10::IValue(object_),
                               /*first=*/(*attached_)++);
}

bool HasComparers(const torch::jit::Module& module) {
  return module.hasattr(absl::StrCat(kPrefix, 0));
}

}  // namespace ns

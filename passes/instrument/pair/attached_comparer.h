// Hangs a comparer on a model and inserts calls of it.
#ifndef PASSES_INSTRUMENT_PAIR_ATTACHED_COMPARER_H_
#define PASSES_INSTRUMENT_PAIR_ATTACHED_COMPARER_H_

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {

// A comparer that becomes an attribute "ns_comparer_<n>" of a model with its
// first call, so that comparers that nothing calls cost nothing.
class AttachedComparer {
 public:
  // `attached` counts the comparers that were attached to the model, from 0.
  // All comparers of the model share it, and it must outlive them.
  AttachedComparer(const PairComparerOptions& options, int& attached);

  // Inserts a call in front of `place`, in the graph of `host`; always the
  // same host. Error: a comparer has no such method.
  absl::Status Call(ModelGraph& host, const std::string& method,
                    const std::vector<torch::jit::Value*>& arguments,
                    torch::jit::Node* place);

  // Removes all calls from the graph. The attribute stays; another Call would
  // attach the comparer again, under another name.
  void Remove();

  // Returns the comparer, or null where nothing calls it.
  PairComparerPtr object() const;

 private:
  void Attach(torch::jit::Module& module);

  PairComparerPtr object_;
  int* attached_;
  // Empty without calls.
  std::string attribute_;
  std::vector<torch::jit::Node*> calls_;
};

// Whether comparers were attached to `module`, even if nothing calls them.
bool HasComparers(const torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_ATTACHED_COMPARER_H_

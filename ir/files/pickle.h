// Parses Python pickles as data: nothing in them is looked up or called.
#ifndef IR_FILES_PICKLE_H_
#define IR_FILES_PICKLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// One value of a pickle. Values are shared as in the pickle. There are no
// cycles, and nesting is at most as deep as PickleOptions say.
struct PickleValue {
  enum class Kind {
    kNone,
    kBool,
    kInt,
    kFloat,
    kString,
    kBytes,
    kTuple,
    kList,
    kDict,
    // A function, class or other name of a Python module.
    kGlobal,
    // The call of a function, or the construction of an object.
    kCall,
    // A reference to something outside the pickle: in torch.save, a storage.
    kPersistentId,
  };

  Kind kind = Kind::kNone;
  // The value of kBool and kInt.
  int64_t integer = 0;
  // The value of kFloat.
  double number = 0;
  // The text of kString and kBytes; for kGlobal the full name,
  // "collections.OrderedDict".
  std::string text;
  // For kTuple and kList the elements; for kDict keys and values in turn; for
  // kCall the function and its arguments, mostly a kTuple; for kPersistentId
  // the id.
  std::vector<std::shared_ptr<const PickleValue>> items;
  // For kCall what was put into the result: keys and values in turn for a dict,
  // such as an OrderedDict, and the elements that were appended to a list. The
  // pickle decides which: it may append an odd number to an OrderedDict.
  std::vector<std::shared_ptr<const PickleValue>> assigned;
  // For kCall the state that was set on the object, where there is one and
  // PickleOptions ask for it.
  std::shared_ptr<const PickleValue> state;

  // How deep the parts of this value nest, and whether another value holds it.
  // The parser avoids cycles and deep recursion with them.
  int depth = 0;
  bool held = false;
};

struct PickleOptions {
  // Whether the state of objects, their attributes, is kept.
  bool keep_state = false;
  // Whether values that are memoized out of order are refused. LibTorch's
  // unpickler does not check this, and writes to foreign memory.
  bool for_libtorch = false;
  int max_depth = 100;
};

// Parses a pickle of protocol 2 to 5 with the opcodes that Python emits for
// None, numbers, strings, bytes, tuples, lists, dicts and objects. LibTorch's
// own unpickler cannot read all files of Python's torch.save: it fails on lists
// and dicts of one element and on integers beyond 32 bits, and trusts its
// input.
//
// It is safe on any bytes. Error: "the pickle ..." and what is wrong with it,
// such as an unknown opcode, an integer of more than 64 bits, a cycle.
absl::StatusOr<std::shared_ptr<const PickleValue>> ParsePickle(
    absl::string_view bytes, const PickleOptions& options = {});

}  // namespace ns

#endif  // IR_FILES_PICKLE_H_

// Defines the base class of everything that watches values in an instrumented
// graph.
#ifndef PASSES_RUNTIME_LOGGERS_LOGGER_H_
#define PASSES_RUNTIME_LOGGERS_LOGGER_H_

#include <torch/custom_class.h>

#include <string>

namespace ns {

// A logger, which sees one value a call, or a comparer, which sees two. A
// user's subclass becomes usable in graphs, and saves and loads with them, by
// registering itself with torch::class_ with def_pickle and these methods:
//
//   forward(Tensor) -> Tensor           of a logger
//   forward(Tensor, Tensor) -> Tensor   of a comparer: the value of the
//                                       quantized model or of a quantization
//                                       candidate, then that of the float model
//   get_stats() -> Tensor[]             what was kept; optional
//
// and those of RegisterSwitches. What `forward` returns is not used. A scripted
// module with such methods can be used as well.
class Logger : public torch::CustomClassHolder {
 public:
  // Forgets what was recorded.
  virtual void Clear() = 0;

  // Enables or disables the logger; it starts enabled. Subclasses must record
  // nothing unless IsEnabled(). Their own def_pickle decides whether a saved
  // logger keeps this state.
  void SetEnabled(bool enabled) { enabled_ = enabled; }
  bool IsEnabled() const { return enabled_; }

 private:
  bool enabled_ = true;
};

// Adds the methods `clear`, `set_enabled` and `is_enabled` to a class that is a
// Logger, and returns the class.
template <typename Subclass>
torch::class_<Subclass>& RegisterSwitches(torch::class_<Subclass>& subclass) {
  using Self = c10::intrusive_ptr<Subclass>;
  return subclass.def("clear", [](const Self& self) { self->Clear(); })
      .def("set_enabled",
           [](const Self& self, bool enabled) { self->SetEnabled(enabled); })
      .def("is_enabled", [](const Self& self) { return self->IsEnabled(); });
}

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_LOGGER_H_

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
//   forward(Tensor) -> Tensor           a logger; what it returns is not used
//   forward(Tensor, Tensor) -> Tensor   a comparer: the candidate's or the
//                                       quantized value, then the float one
//   get_stats() -> Tensor[]             what was kept; optional
//
// and with those of RegisterSwitches. Scripted modules with these methods can
// be used as well.
class Logger : public torch::CustomClassHolder {
 public:
  // Forgets what was recorded.
  virtual void Clear() = 0;

  // Enables or disables the logger; it starts enabled. Subclasses heed it: they
  // record nothing unless IsEnabled(). They say whether they save it.
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

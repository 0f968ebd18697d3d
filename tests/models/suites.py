"""Runs PyTorch's numeric suites, and hooks where they see nothing.

Every function returns results in one form, whatever suite they come from.
"""

import copy
import dataclasses
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn
from torch.ao.ns import _numeric_suite as eager_suite
from torch.ao.ns import _numeric_suite_fx as fx_suite

import common

TensorPair = Tuple[torch.Tensor, torch.Tensor]


@dataclasses.dataclass
class Logged:
  """What was logged at one matched place of both models.

  Attributes:
    key: the suite's own key, None for hooks.
    fqn: path of the quantized module, or of the one whose code calls the op.
    calls: for each batch the (float, quantized) outputs of each call.
  """
  key: Optional[str]
  fqn: str
  calls: List[List[TensorPair]]
  source: str
  ref_node_name: str = ''
  prev_node_name: str = ''
  float_type: str = ''
  quantized_type: str = ''


class FxCopyingLogger(fx_suite.OutputLogger):
  """Keeps copies: ops that work in place would overwrite what it saw."""

  def forward(self, x: Any) -> Any:
    super().forward(_copy(x))
    return x


class EagerCopyingLogger(eager_suite.OutputLogger):
  """Keeps copies, as above."""

  def forward(self, x: Any) -> Any:
    super().forward(_copy(x))
    return x


def fx_trace(model: nn.Module) -> torch.fx.GraphModule:
  """The graph that the FX suite sees, with its node names."""
  return torch.fx.GraphModule(model, fx_suite.NSTracer([], []).trace(model))


def _fx_copy(model: nn.Module) -> nn.Module:
  """A copy that the suite may change, with scopes under the names it uses.

  The suite traces the model anew. A module shared by two paths, as the ReLU of
  a residual block is after fusion, then gives its nodes other names than those
  the scopes are kept under, and the suite would fail with a KeyError.
  """
  copied = copy.deepcopy(model)
  scopes = getattr(model, '_node_name_to_scope', None)
  if scopes is not None:
    copied._node_name_to_scope = {
        new.name: scopes[old.name]
        for old, new in zip(model.graph.nodes, fx_trace(model).graph.nodes)
        if old.name in scopes}
  return copied


def fx_weights(pair: common.ModelPair) -> Dict[str, Dict[str, Any]]:
  """Returns the suite's float and quantized result by its key."""
  results = fx_suite.extract_weights(
      'a', _fx_copy(pair.reference_float), 'b', _fx_copy(pair.quantized_model))
  return {key: {name: value['weight'][name][0] for name in ('a', 'b')}
          for key, value in results.items()}


def eager_weights(pair: common.ModelPair) -> Dict[str, Dict[str, torch.Tensor]]:
  return eager_suite.compare_weights(
      pair.reference_float.state_dict(), pair.quantized_model.state_dict())


def fx_activations(pair: common.ModelPair, copying: bool) -> List[Logged]:
  logger = FxCopyingLogger if copying else fx_suite.OutputLogger
  a, b = fx_suite.add_loggers(
      'a', _fx_copy(pair.reference_float), 'b',
      _fx_copy(pair.quantized_model), logger)
  with torch.no_grad():
    for batch in pair.batches:
      common.call(a, batch)
      common.call(b, batch)
  results = fx_suite.extract_logger_info(a, b, logger, 'b')
  nodes = fx_trace(pair.quantized_model).graph.nodes
  targets = {n.name: n.target for n in nodes if n.op == 'call_module'}
  return [_fx_logged(key, value['node_output'], targets)
          for key, value in results.items()]


def fx_shadows(pair: common.ModelPair) -> List[Logged]:
  """What the float subgraphs make of the quantized model's values.

  The suite runs a shadow after what it shadows. A quantized op that works in
  place has overwritten the shadow's input by then: here it may not.
  """
  quantized = _fx_copy(pair.quantized_model)
  for module in quantized.modules():
    if getattr(module, 'inplace', False):
      module.inplace = False
  shadowed = fx_suite.add_shadow_loggers(
      'a', _fx_copy(pair.reference_float), 'b', quantized, FxCopyingLogger)
  with torch.no_grad():
    for batch in pair.batches:
      common.call(shadowed, batch)
  results = fx_suite.extract_shadow_logger_info(shadowed, FxCopyingLogger, 'b')
  nodes = fx_trace(pair.quantized_model).graph.nodes
  targets = {n.name: n.target for n in nodes if n.op == 'call_module'}
  return [_fx_logged(key, value['node_output'], targets)
          for key, value in results.items()]


def _fx_logged(key: str, result: Dict[str, Any],
               targets: Dict[str, str]) -> Logged:
  a, b = result['a'][0], result['b'][0]
  calls = [[(_first_tensor(x), _first_tensor(y))]
           for x, y in zip(a['values'], b['values'])]
  return Logged(
      key, targets.get(b['ref_node_name'], b['fqn'] or ''), calls, 'fx',
      b['ref_node_name'], b['prev_node_name'],
      a['ref_node_target_type'], b['ref_node_target_type'])


def eager_activations(pair: common.ModelPair, copying: bool) -> List[Logged]:
  logger = EagerCopyingLogger if copying else eager_suite.OutputLogger
  a = copy.deepcopy(pair.reference_float)
  b = copy.deepcopy(pair.quantized_model)
  eager_suite.prepare_model_outputs(a, b, logger)
  with torch.no_grad():
    for batch in pair.batches:
      common.call(a, batch)
      common.call(b, batch)
  return [_eager_logged(key, value, pair)
          for key, value in eager_suite.get_matching_activations(a, b).items()]


def _eager_logged(key: str, value: Dict[str, Any],
                  pair: common.ModelPair) -> Logged:
  fqn = key[:-len('.stats')]
  # Loggers of fused float modules, which are Sequentials, run as their last
  # child and again as their hook: every output is there twice.
  repeats = max(len(value['float']) // len(value['quantized']), 1)
  flat = [(_first_tensor(x), _first_tensor(y))
          for x, y in zip(value['float'][::repeats], value['quantized'])]
  # The suite keeps one list of all calls in all batches.
  per_batch = len(flat) // len(pair.batches)
  calls = [flat[i:i + per_batch] for i in range(0, len(flat), per_batch)]
  return Logged(key, fqn, calls, 'eager', **_types(pair, fqn))


def hook_activations(pair: common.ModelPair,
                     wanted: Callable[[str, nn.Module], bool]) -> List[Logged]:
  """Logs modules which are at the same path in both models."""
  a = copy.deepcopy(pair.reference_float)
  b = copy.deepcopy(pair.quantized_model)
  in_a = dict(a.named_modules())
  paths = [path for path, module in b.named_modules()
           if path in in_a and wanted(path, module)]
  outputs = [_run_hooked(model, paths, pair.batches) for model in (a, b)]
  result = []
  for path in paths:
    calls = [[(x, y) for x, y in zip(*calls_of_batch)
              if isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)]
             for calls_of_batch in zip(outputs[0][path], outputs[1][path])]
    if any(calls):
      result.append(Logged(None, path, calls, 'hooks', **_types(pair, path)))
  return result


def _run_hooked(model: nn.Module, paths: List[str],
                batches: List[Any]) -> Dict[str, List[List[Any]]]:
  modules = dict(model.named_modules())
  logs = {path: [] for path in paths}
  for path in paths:
    modules[path].register_forward_hook(
        lambda _, __, output, log=logs[path]:
        log[-1].append(_copy(_first_tensor(output))))
  with torch.no_grad():
    for batch in batches:
      for log in logs.values():
        log.append([])
      common.call(model, batch)
  return logs


def call_order(model: nn.Module, batches: List[Any]) -> List[str]:
  """Paths of modules in the order in which the batches first call them."""
  model = copy.deepcopy(model)
  order = []

  def note(path: str) -> None:
    # Methods such as QFunctional.add show by the observer that they call.
    parent, _, name = path.rpartition('.')
    if name == 'activation_post_process':
      note(parent)
    if path not in order:
      order.append(path)

  for path, module in model.named_modules():
    module.register_forward_pre_hook(lambda _, __, path=path: note(path))
  with torch.no_grad():
    for batch in batches:
      common.call(model, batch)
  return order


def _types(pair: common.ModelPair, path: str) -> Dict[str, str]:
  return {
      'float_type': torch.typename(pair.reference_float.get_submodule(path)),
      'quantized_type': torch.typename(
          pair.quantized_model.get_submodule(path)),
  }


def _first_tensor(value: Any) -> Any:
  while isinstance(value, (tuple, list)) and value:
    value = value[0]
  return value


def _copy(value: Any) -> Any:
  if isinstance(value, torch.Tensor):
    return value.detach().clone()
  if isinstance(value, tuple):
    return tuple(_copy(element) for element in value)
  return value

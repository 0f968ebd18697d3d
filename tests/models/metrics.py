"""Error measures in float64, pooled over batches from sums."""

import math
from typing import Any, Dict, List, Tuple

import torch


class Sums:
  """Sums over elements from which every measure follows; they add up."""

  def __init__(self) -> None:
    self._xx = self._yy = self._xy = self._dd = 0.0

  def add(self, x: torch.Tensor, y: torch.Tensor) -> 'Sums':
    """Adds a float tensor and its quantized counterpart."""
    x, y = as_float64(x), as_float64(y)
    if x.numel() != y.numel():
      raise ValueError(f'shapes differ: {tuple(x.shape)}, {tuple(y.shape)}')
    # Packed conv1d weights have one dimension of size 1 more.
    x, y = x.reshape(-1), y.reshape(-1)
    self._xx += float(x @ x)
    self._yy += float(y @ y)
    self._xy += float(x @ y)
    self._dd += float((x - y) @ (x - y))
    return self

  def sqnr_db(self) -> float:
    return 20 * _log10(_ratio(math.sqrt(self._xx), math.sqrt(self._dd)))

  def normalized_l2(self) -> float:
    return _ratio(math.sqrt(self._dd), math.sqrt(self._xx))

  def cosine(self) -> float:
    return _ratio(self._xy, math.sqrt(self._xx) * math.sqrt(self._yy))

  def to_dict(self) -> Dict[str, Any]:
    return {
        'sqnr_db': number(self.sqnr_db()),
        'normalized_l2': number(self.normalized_l2()),
        'cosine': number(self.cosine()),
    }


def pool(pairs: List[Tuple[torch.Tensor, torch.Tensor]]) -> Sums:
  sums = Sums()
  for x, y in pairs:
    sums.add(x, y)
  return sums


def as_float64(tensor: torch.Tensor) -> torch.Tensor:
  tensor = tensor.detach()
  if tensor.is_quantized:
    tensor = tensor.dequantize()
  return tensor.to(torch.float64)


def number(value: float) -> Any:
  """A value that strict JSON can hold."""
  if math.isnan(value):
    return 'nan'
  if math.isinf(value):
    return 'inf' if value > 0 else '-inf'
  return value


def _ratio(a: float, b: float) -> float:
  if b == 0:
    return math.nan if a == 0 or math.isnan(a) else math.inf
  return a / b


def _log10(value: float) -> float:
  if value == 0:
    return -math.inf
  return math.log10(value)

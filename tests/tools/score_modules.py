"""Scores, right and wrong, and models whose outputs they take."""

from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import nn


class Top1(nn.Module):
  """The share of samples whose label has the greatest score."""

  def __init__(self):
    super().__init__()
    self.right = 0
    self.samples = 0

  @torch.jit.export
  def update(self, outputs: torch.Tensor, labels: torch.Tensor) -> None:
    self.right += int((outputs.argmax(1) == labels).sum())
    self.samples += labels.numel()

  @torch.jit.export
  def compute(self) -> float:
    return self.right / self.samples


class MeanOutput(nn.Module):
  """Needs no labels, keeps all outputs, and returns a tensor."""

  outputs: List[torch.Tensor]

  def __init__(self):
    super().__init__()
    self.outputs = []

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    self.outputs.append(outputs)

  @torch.jit.export
  def compute(self) -> torch.Tensor:
    return torch.cat(self.outputs).mean()


class Batches(nn.Module):
  """Counts batches, and returns an int."""

  def __init__(self):
    super().__init__()
    self.batches = 0

  @torch.jit.export
  def update(self, outputs: torch.Tensor,
             labels: Optional[torch.Tensor] = None) -> None:
    self.batches += 1 if labels is None else 100

  @torch.jit.export
  def compute(self) -> int:
    return self.batches


class Words(nn.Module):
  """Counts how many words there are in the labels, which are texts."""

  def __init__(self):
    super().__init__()
    self.words = 0

  @torch.jit.export
  def update(self, outputs: torch.Tensor, labels: List[str]) -> None:
    assert len(labels) == outputs.size(0)
    for label in labels:
      self.words += len(label.split(' '))

  @torch.jit.export
  def compute(self) -> int:
    return self.words


class Boxes(nn.Module):
  """Takes labels as detectors have them, a dict for each image."""

  def __init__(self):
    super().__init__()
    self.area = 0.0

  @torch.jit.export
  def update(self, outputs: torch.Tensor,
             labels: List[Dict[str, torch.Tensor]]) -> None:
    for label in labels:
      self.area += float(label['boxes'].sum())

  @torch.jit.export
  def compute(self) -> float:
    return self.area


class Destroys(nn.Module):
  """Overwrites all that it is given."""

  @torch.jit.export
  def update(self, outputs: torch.Tensor, labels: torch.Tensor) -> None:
    outputs.zero_()
    labels.zero_()

  @torch.jit.export
  def compute(self) -> float:
    return 0.0


class Fixed(nn.Module):
  """What is computed is an argument of the class."""

  def __init__(self, value: float):
    super().__init__()
    self.value = value

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    pass

  @torch.jit.export
  def compute(self) -> float:
    return self.value


class NoUpdate(nn.Module):

  @torch.jit.export
  def compute(self) -> float:
    return 1.0


class NoCompute(nn.Module):

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    pass


class Text(nn.Module):

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    pass

  @torch.jit.export
  def compute(self) -> str:
    return 'good'


class AnyText(nn.Module):

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    pass

  @torch.jit.export
  def compute(self) -> Any:
    return 'good'


class Elements(nn.Module):

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    pass

  @torch.jit.export
  def compute(self) -> torch.Tensor:
    return torch.ones(3)


class RaisesInUpdate(nn.Module):

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    raise RuntimeError('no boxes here')

  @torch.jit.export
  def compute(self) -> float:
    return 1.0


class RaisesInCompute(nn.Module):

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    pass

  @torch.jit.export
  def compute(self) -> float:
    raise RuntimeError('nothing to compute')


class DividesByZero(nn.Module):

  def __init__(self):
    super().__init__()
    self.samples = 0

  @torch.jit.export
  def update(self, outputs: torch.Tensor) -> None:
    pass

  @torch.jit.export
  def compute(self) -> int:
    return 7 // self.samples


class Layer(nn.Module):
  """A linear layer; subclasses return what they make of it."""

  def __init__(self):
    super().__init__()
    self.fc = nn.Linear(4, 3)


class Pair(Layer):

  def forward(self, x) -> Tuple[torch.Tensor, torch.Tensor]:
    y = self.fc(x)
    return y, y + 1


class Nested(Layer):

  def forward(self, x) -> Dict[str, Dict[str, torch.Tensor]]:
    return {'head': {'scores': self.fc(x)}}


class Two(Layer):

  def forward(self, x) -> List[torch.Tensor]:
    y = self.fc(x)
    return [y, y]


class Three(Layer):

  def forward(self, x) -> List[torch.Tensor]:
    y = self.fc(x)
    return [y, y, y]


class Labels(Layer):
  """Integers."""

  def forward(self, x):
    return self.fc(x).argmax(1)


class Caption(Layer):

  def forward(self, x) -> str:
    return 'up' if bool(self.fc(x).sum() > 0) else 'down'


class ScoresPair(nn.Module):

  def __init__(self):
    super().__init__()
    self.total = 0.0

  @torch.jit.export
  def update(self, outputs: Tuple[torch.Tensor, torch.Tensor]) -> None:
    self.total += float((outputs[1] - outputs[0]).mean())

  @torch.jit.export
  def compute(self) -> float:
    return self.total


class ScoresNested(nn.Module):

  def __init__(self):
    super().__init__()
    self.rows = 0

  @torch.jit.export
  def update(self, outputs: Dict[str, Dict[str, torch.Tensor]]) -> None:
    self.rows += outputs['head']['scores'].size(0)

  @torch.jit.export
  def compute(self) -> int:
    return self.rows


class ScoresList(nn.Module):

  def __init__(self):
    super().__init__()
    self.elements = 0

  @torch.jit.export
  def update(self, outputs: List[torch.Tensor]) -> None:
    self.elements += len(outputs)

  @torch.jit.export
  def compute(self) -> int:
    return self.elements


class ScoresText(nn.Module):

  def __init__(self):
    super().__init__()
    self.letters = 0

  @torch.jit.export
  def update(self, outputs: str) -> None:
    self.letters += len(outputs)

  @torch.jit.export
  def compute(self) -> int:
    return self.letters

"""Writes top1.pt, a score module for `ns compare --score=top1=top1.pt`.

  /usr/bin/python3 tools/demo/make_score.py tools/demo/top1.pt
"""

import sys

import torch


class Top1(torch.nn.Module):
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


if __name__ == '__main__':
  torch.jit.save(torch.jit.script(Top1()), sys.argv[1])

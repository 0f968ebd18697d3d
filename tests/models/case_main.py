"""The command line of the scripts that write models in folders by case."""

import argparse
import os
from typing import Any, Callable, Dict

import torch

import common


def case_main(doc: str, cases: Dict[str, Any], seed: int,
              write: Callable[[str, Any, str], None]) -> None:
  """Writes the cases that the command line names, or all.

  Args:
    doc: what --help says of the script.
    cases: by name.
    seed: of PyTorch's random numbers, anew for each case, so that a model is the
      same whichever cases are written with it.
    write: is called with the name of a case, the case, and the folder to write to,
      which is there.
  """
  parser = argparse.ArgumentParser(
      description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument('--out', metavar='DIR', required=True)
  parser.add_argument('cases', nargs='*', metavar='CASE', default=list(cases))
  args = parser.parse_args()
  unknown = sorted(set(args.cases) - set(cases))
  if unknown:
    parser.error('no case ' + ', '.join(unknown))
  # One thread: sums in float then have one order, and results one value.
  torch.set_num_threads(1)
  torch.backends.quantized.engine = common.ENGINE
  for name in args.cases:
    out = os.path.join(args.out, name)
    os.makedirs(out, exist_ok=True)
    torch.manual_seed(seed)
    write(name, cases[name], out)

"""Stands in for the package expecttest, which Debian does not have.

PyTorch's test models (torch.testing._internal.common_quantization) import it
for test cases of their own, which nothing here runs.
"""

import sys
import types
import unittest


def install() -> None:
  """Makes `import expecttest` work; does nothing where it does already."""
  if 'expecttest' not in sys.modules:
    module = types.ModuleType('expecttest')
    module.TestCase = unittest.TestCase
    module.ACCEPT = False
    sys.modules['expecttest'] = module

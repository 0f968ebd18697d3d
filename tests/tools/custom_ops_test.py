"""Models with ops of a library of the user's."""

import os
import shutil
import unittest

import torch

import cli

LIBRARY = os.path.abspath(os.environ['NS_OPS'])
MODELS = ('--float=custom_float.pt', '--quantized=custom_quantized.pt')


class CustomOpsTest(cli.CliTest):

  def test_without_the_library_the_flag_is_named(self):
    self.fail_with(3, 'match', *MODELS,
                   names=('custom_float.pt', 'ns_test::twice',
                          '--load-library'))

  def test_layers_around_and_of_the_op_are_compared(self):
    layers = self.layers('compare', *MODELS, '--inputs=rows.pt',
                         f'--load-library={LIBRARY}')
    self.assertIn('twice', layers)
    self.assertIn('activation', layers['twice'])
    self.assertIn('shadow', layers['inner.first'])

  def test_shadows_are_fed_as_the_user_says_that_the_op_gives(self):
    flags = ('compare', '--float=keeps.pt', '--quantized=keeps_floats.pt',
             '--inputs=rows.pt', '--what=shadows',
             f'--load-library={LIBRARY}')
    x = torch.cat(torch.load(os.path.join(cli.CASES, 'rows.pt')))
    y = torch.quantize_per_tensor(x, 0.02, 64, torch.quint8).dequantize()
    coarse = torch.quantize_per_tensor(y, 0.1, 64, torch.quint8).dequantize()
    error = (coarse.relu() - y.relu()).double().norm()
    expected = 20 * torch.log10(coarse.relu().double().norm() / error)
    # The shadow computes on floats, as if there were no quantize before it.
    self.assertEqual(self.layers(*flags)['relu']['shadow']['sqnr_db'], 'inf')
    relu = self.layers(*flags, '--io-type=ns_test::keep=either')['relu']
    self.assertAlmostEqual(relu['shadow']['sqnr_db'], float(expected), 4)
    self.assertLess(float(expected), 40)

  def test_an_io_type_is_of_an_op_that_is_not_known(self):
    flags = ('compare', *MODELS, f'--load-library={LIBRARY}')
    self.fail_with(2, *flags, '--io-type=ns_test::keep',
                   names='OP=TYPE, with one of float, int8, either')
    self.fail_with(2, *flags, '--io-type=ns_test::keep=int4',
                   names='--io-type=ns_test::keep=int4')
    self.fail_with(2, *flags, '--io-type=aten::relu=int8',
                   names="aten::relu has the io type 'either' already")
    self.fail_with(2, *flags, '--io-type=ns_test::none=int8',
                   names="no operator 'ns_test::none'")

  def test_every_command_takes_it(self):
    flag = f'--load-library={LIBRARY}'
    self.succeed('match', *MODELS, flag)
    self.succeed('instrument', *MODELS, flag, '--what=activations',
                 '--io-type=ns_test::twice=float',
                 f'--out-float={self.path("f.pt")}',
                 f'--out-quantized={self.path("q.pt")}')
    self.succeed('sensitivity', MODELS[0], '--inputs=rows.pt', flag)
    self.succeed('quantize', MODELS[0], '--inputs=rows.pt', flag,
                 f'--out={self.path("q.pt")}')
    self.succeed('lower', '--in=custom_quantized.pt',
                 f'--out={self.path("l.pt")}', flag)

  def test_a_library_that_registers_ops_again_is_refused(self):
    copy = self.path('copy.so')
    shutil.copy(LIBRARY, copy)
    self.fail_with(3, 'match', *MODELS, f'--load-library={LIBRARY},{copy}',
                   names=(f'--load-library={copy}: cannot load', 'ns_test'))

  def test_what_is_no_library_is_refused(self):
    self.fail_with(3, 'match', *MODELS, '--load-library=rows.pt',
                   names=('--load-library=rows.pt',))
    self.fail_with(3, 'match', *MODELS, '--load-library=none.so',
                   names=('--load-library=none.so', 'No such file'))


if __name__ == '__main__':
  unittest.main()

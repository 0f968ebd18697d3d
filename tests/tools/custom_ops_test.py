"""Models with ops of a library of the user's."""

import os
import unittest

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

  def test_every_command_takes_it(self):
    flag = f'--load-library={LIBRARY}'
    self.succeed('match', *MODELS, flag)
    self.succeed('instrument', *MODELS, flag, '--what=activations',
                 f'--out-float={self.path("f.pt")}',
                 f'--out-quantized={self.path("q.pt")}')
    self.succeed('sensitivity', MODELS[0], '--inputs=rows.pt', flag)
    self.succeed('lower', '--in=custom_quantized.pt',
                 f'--out={self.path("l.pt")}', flag)

  def test_what_is_no_library_is_refused(self):
    self.fail_with(3, 'match', *MODELS, '--load-library=rows.pt',
                   names=('--load-library=rows.pt',))
    self.fail_with(3, 'match', *MODELS, '--load-library=none.so',
                   names=('--load-library=none.so', 'No such file'))


if __name__ == '__main__':
  unittest.main()

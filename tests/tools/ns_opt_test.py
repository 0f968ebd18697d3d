"""`ns_opt`: passes by name, over IR text and over models."""

import os
import re
import subprocess
import unittest

import cli

NS_OPT = os.path.join(os.path.dirname(cli.NS), 'ns_opt')

GRAPH = '''graph(%x : Tensor, %scale : float, %zero_point : int):
  %q : Tensor = quantized::add(%x, %x, %scale, %zero_point)
  %r : Tensor = aten::relu(%q)
  %d : Tensor = aten::dequantize(%r)
  %s : float = prim::Constant[value=0.5]()
  %z : int = prim::Constant[value=7]()
  %t : int = prim::Constant[value=13]()
  %n : Tensor = aten::quantize_per_tensor(%d, %s, %z, %t)
  return (%n)
'''

# No kernel takes the place of this op.
KEPT = '''graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  return (%q)
'''


def case(name):
  return os.path.join(cli.CASES, name + '.pt')


class NsOptTest(cli.CliTest):

  def run_opt(self, *arguments, graph=''):
    return subprocess.run([NS_OPT, *arguments], input=graph.encode(),
                          cwd=self.folder, env=cli.environment(),
                          capture_output=True, timeout=cli.TIMEOUT,
                          check=False)

  def opt(self, *arguments, graph=''):
    """What a run that ends with 0 prints to both streams."""
    process = self.run_opt(*arguments, graph=graph)
    error = process.stderr.decode()
    self.assertEqual(process.returncode, 0, error)
    return process.stdout.decode(), error

  def refuse(self, code, *arguments, names=(), graph=''):
    process = self.run_opt(*arguments, graph=graph)
    error = process.stderr.decode()
    self.assertEqual(process.returncode, code, error)
    self.assertEqual(process.stdout, b'')
    self.assertEqual(len(error.splitlines()), 1, error)
    self.assertTrue(error.startswith('ns_opt: '), error)
    for name in names:
      self.assertIn(name, error)

  def test_lists_passes_in_order(self):
    output, _ = self.opt('--list-passes')
    lines = output.splitlines()
    names = [line.split('\t')[0] for line in lines
             if not line.startswith('\t')]
    self.assertEqual(names, sorted(names))
    # Options follow their pass, with what they are otherwise first.
    place = next(i for i, line in enumerate(lines)
                 if line.startswith('lower-to-fbgemm\t'))
    self.assertEqual(
        [line.split('\t')[1] for line in lines[place + 1:place + 4]],
        ['numerics=exact|fbgemm-vnni|fbgemm-avx2', 'fuse=true|false',
         'fuse-sums=false|true'])
    for name in ('lower-to-fbgemm', 'match', 'add-loggers', 'freeze'):
      self.assertIn(name, names)

  def test_rewrites_text(self):
    output, error = self.opt('--passes=lower-to-fbgemm', graph=GRAPH)
    self.assertEqual(error, '')
    self.assertIn('ns::fbgemm_requantize', output)
    # What is printed can be read again; numbers of values may be others.
    again, _ = self.opt('--passes=lower-to-fbgemm', graph=output)
    ops = [re.findall(r'= (\S+)\(', text) for text in (again, output)]
    self.assertEqual(*ops)

  def test_options_and_order(self):
    output, _ = self.opt('--passes=lower-to-fbgemm{fuse=false}', graph=GRAPH)
    self.assertIn('ns::fbgemm_dequantize', output)
    output, _ = self.opt('--passes=lower-to-fbgemm{fuse=false},fuse-lowered',
                         graph=GRAPH)
    self.assertNotIn('ns::fbgemm_dequantize', output)

  def test_a_limit_leaves_later_passes_out(self):
    output, _ = self.opt('--passes=eliminate-dead-code,lower-to-fbgemm',
                         '--bisect-limit=1', graph=GRAPH)
    self.assertIn('quantized::add', output)

  def test_shows_graphs_times_and_remarks(self):
    _, error = self.opt('--passes=lower-to-fbgemm,eliminate-dead-code',
                        '--print-before=eliminate-dead-code',
                        '--print-after-all', '--time-passes',
                        '--print-remarks', graph=KEPT)
    self.assertIn('# before eliminate-dead-code', error)
    self.assertIn('# after lower-to-fbgemm', error)
    self.assertRegex(error, r'\d ms  (un)?changed +lower-to-fbgemm')
    self.assertRegex(error, 'lower-to-fbgemm: .*aten::quantize_per_tensor: ')

  def test_dumps_a_file_for_each_pass(self):
    self.opt('--passes=eliminate-dead-code,lower-to-fbgemm',
             f'--dump-dir={self.folder}', graph=GRAPH)
    self.assertEqual(sorted(os.listdir(self.folder)), [
        '001-after-eliminate-dead-code.ir', '002-after-lower-to-fbgemm.ir'])
    with open(self.path('002-after-lower-to-fbgemm.ir')) as file:
      self.assertIn('ns::fbgemm_add', file.read())

  def test_writes_what_ns_lower_writes(self):
    self.opt('--passes=fold-reference-quantization,lower-to-fbgemm',
             f'--model={case("net_quantized")}', f'--out={self.path("a.pt")}')
    self.succeed('lower', f'--in={case("net_quantized")}',
                 f'--out={self.path("b.pt")}', '--quiet')
    texts = [self.opt('--passes=eliminate-dead-code',
                      f'--model={self.path(name)}')[0]
             for name in ('a.pt', 'b.pt')]
    self.assertIn('ns::fbgemm_', texts[0])
    # Objects are printed with their addresses.
    self.assertEqual(*[re.sub('0x[0-9a-f]+', '', text) for text in texts])

  def test_adds_loggers_to_two_models(self):
    self.opt('--passes=match,add-loggers', f'--float={case("net_float")}',
             f'--model={case("net_quantized")}', f'--out={self.path("q.pt")}',
             f'--out-float={self.path("f.pt")}')
    for name in ('q.pt', 'f.pt'):
      text, _ = self.opt('--passes=eliminate-dead-code',
                         f'--model={self.path(name)}', '--raw')
      self.assertIn('ns_logger_0', text)

  def test_pairs_two_models(self):
    self.opt('--passes=match,pair-models{shadows}',
             f'--float={case("net_float")}', f'--model={case("net_quantized")}',
             f'--out={self.path("pair.pt")}')
    text, _ = self.opt('--passes=eliminate-dead-code',
                       f'--model={self.path("pair.pt")}', '--raw')
    self.assertIn('ns_comparer_0', text)
    self.assertIn('aten::conv2d', text)
    self.assertIn('quantized::conv2d', text)
    self.assertIn('ns::run_shadow', text)
    self.assertNotIn('ns::as_float', text)

  def test_shadows_stand_in_the_graph_where_asked(self):
    for name in ('add-shadow-loggers{guard=false}',
                 'pair-models{shadows,guard=false}'):
      self.opt(f'--passes=match,{name}', f'--float={case("net_float")}',
               f'--model={case("net_quantized")}',
               f'--out={self.path("shadowed.pt")}')
      text, _ = self.opt('--passes=eliminate-dead-code',
                         f'--model={self.path("shadowed.pt")}', '--raw')
      self.assertIn('ns::as_float', text)
      self.assertNotIn('ns::run_shadow', text)

  def test_wrong_usage(self):
    self.refuse(2, '--passes=lower-to-fbgem', names=["'lower-to-fbgemm'"])
    self.refuse(2, '--passes=lower-to-fbgemm{fues}', names=["'fuse'"])
    self.refuse(2, '--passes=match', names=['--float'])
    self.refuse(2, names=['--passes'])
    self.refuse(2, '--passes=freeze', '--print-after=no-such-pass',
                names=['--print-after', '--list-passes'])
    self.refuse(2, '--passes=freeze', '--out=x.pt', names=['--model'])

  def test_bad_input(self):
    self.refuse(3, '--passes=lower-to-fbgemm', graph='graph(%x : Tensor',
                names=['standard input'])
    self.refuse(3, '--passes=lower-to-fbgemm', names=['standard input'])
    self.refuse(3, '--passes=lower-to-fbgemm', '--model=absent.pt',
                names=['absent.pt'])
    self.refuse(3, '--passes=count-saturation', graph=GRAPH,
                names=["pass 1 'count-saturation'", 'module'])

  def test_help_has_an_example(self):
    output, _ = self.opt('--help')
    self.assertIn('  ns_opt --passes=lower-to-fbgemm ', output)


if __name__ == '__main__':
  unittest.main()

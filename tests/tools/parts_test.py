"""What a layer's weight alone, and its activations alone, cost: against Python."""

import csv
import io
import unittest

import torch
from torch.ao.quantization import quantize_fx

import cli


class Net(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.conv = torch.nn.Conv2d(3, 8, 3)
    self.bn = torch.nn.BatchNorm2d(8)
    self.relu = torch.nn.ReLU()
    self.fc = torch.nn.Linear(8 * 36, 5)

  def forward(self, x):
    return self.fc(torch.flatten(self.relu(self.bn(self.conv(x))), 1))


class Recurrent(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.table = torch.nn.Embedding(20, 6)
    self.lstm = torch.nn.LSTM(6, 7)
    self.fc = torch.nn.Linear(7, 4)

  def forward(self, x):
    y, _ = self.lstm(self.table(x))
    return self.fc(y)


def sqnr_db(x, y):
  """Of pairs of tensors."""
  signal = sum(a.double().square().sum() for a in x)
  noise = sum((b - a).double().square().sum() for a, b in zip(x, y))
  return float(10 * torch.log10(signal / noise))


class PartsTest(cli.CliTest):

  def save(self, model, quantized, batches):
    torch.jit.save(torch.jit.script(model), self.path('f.pt'))
    torch.jit.save(quantized, self.path('q.pt'))
    torch.save(batches, self.path('i.pt'))
    return ('compare', f'--float={self.path("f.pt")}',
            f'--quantized={self.path("q.pt")}', f'--inputs={self.path("i.pt")}',
            f'--engine={torch.backends.quantized.engine}')

  def static(self):
    """The float model, the quantized one, and a command that compares them."""
    torch.manual_seed(4)
    torch.backends.quantized.engine = 'qnnpack'
    model = Net().eval()
    with torch.no_grad():
      model.bn.running_mean.normal_()
      model.bn.running_var.uniform_(0.1, 4)
      model.bn.weight.uniform_(-2, 2)
    batches = [torch.randn(2, 3, 8, 8) for _ in range(3)]
    mapping = torch.ao.quantization.get_default_qconfig_mapping('qnnpack')
    prepared = quantize_fx.prepare_fx(
        model, mapping, batches[0])
    for batch in batches:
      prepared(batch)
    quantized = quantize_fx.convert_fx(prepared)
    return model, quantized, batches, self.save(
        model, torch.jit.script(quantized), batches)

  def test_static_layers_are_as_recomputed(self):
    model, quantized, batches, compare = self.static()
    layers = self.layers(*compare, '--parts')

    def conv(x, weight):
      # The weight of the quantized layer is that of conv with bn.
      norm = model.bn
      scale = norm.weight / (norm.running_var + norm.eps).sqrt()
      bias = (model.conv.bias - norm.running_mean) * scale + norm.bias
      return torch.nn.functional.conv2d(x, weight, bias).relu()

    def folded():
      norm = model.bn
      scale = norm.weight / (norm.running_var + norm.eps).sqrt()
      return model.conv.weight * scale.reshape(-1, 1, 1, 1)

    with torch.no_grad():
      inputs = [
          torch.quantize_per_tensor(batch, float(quantized.conv_input_scale_0),
                                    int(quantized.conv_input_zero_point_0),
                                    torch.quint8) for batch in batches]
      outputs = [quantized.conv(x) for x in inputs]
      s = [conv(x.dequantize(), folded()) for x in inputs]
      weight_only = [conv(x.dequantize(), quantized.conv.weight().dequantize())
                     for x in inputs]
      rounded = [
          torch.quantize_per_tensor(x, y.q_scale(), y.q_zero_point(),
                                    torch.quint8).dequantize()
          for x, y in zip(s, outputs)]
      fc = quantized.fc
      of_fc = [torch.flatten(y, 1) for y in outputs]
      fc_s = [model.fc(x.dequantize()) for x in of_fc]
      fc_weight = [
          torch.nn.functional.linear(x.dequantize(), fc.weight().dequantize(),
                                     model.fc.bias) for x in of_fc]
      fc_rounded = [
          torch.quantize_per_tensor(x, fc.scale, fc.zero_point,
                                    torch.quint8).dequantize() for x in fc_s]
    for layer, key, expected in (
        ('conv', 'weight_only', sqnr_db(s, weight_only)),
        ('conv', 'activation_only', sqnr_db(s, rounded)),
        ('fc', 'weight_only', sqnr_db(fc_s, fc_weight)),
        ('fc', 'activation_only', sqnr_db(fc_s, fc_rounded))):
      self.assertAlmostEqual(layers[layer][key]['sqnr_db'], expected, 2,
                             (layer, key))

  def test_dynamic_layers_are_as_recomputed(self):
    torch.manual_seed(5)
    torch.backends.quantized.engine = 'qnnpack'
    model = Recurrent().eval()
    batches = [torch.randint(20, (3, 2)) for _ in range(3)]
    quantized = torch.ao.quantization.quantize_dynamic(
        model, {torch.nn.LSTM, torch.nn.Linear}, torch.qint8)
    compare = self.save(model, torch.jit.script(quantized), batches)
    layers = self.layers(*compare, '--parts')
    with torch.no_grad():
      embedded = [model.table(batch) for batch in batches]
      s = [model.lstm(x)[0] for x in embedded]
      swapped = torch.nn.LSTM(6, 7)
      swapped.load_state_dict(model.lstm.state_dict())
      weights = quantized.lstm.get_weight()
      for name, weight in weights.items():
        getattr(swapped, name).copy_(weight.dequantize())
      self.assertEqual(len(weights), 2)
      lstm_weight = [swapped(x)[0] for x in embedded]
      of_fc = [quantized.lstm(x)[0] for x in embedded]
      fc_s = [model.fc(x) for x in of_fc]
      fc_weight = [
          torch.nn.functional.linear(x, quantized.fc.weight().dequantize(),
                                     model.fc.bias) for x in of_fc]
      fc_rounded = [
          model.fc(torch.quantize_per_tensor_dynamic(
              x, torch.quint8, False).dequantize()) for x in of_fc]
    for layer, key, expected in (
        ('lstm', 'weight_only', sqnr_db(s, lstm_weight)),
        ('fc', 'weight_only', sqnr_db(fc_s, fc_weight)),
        ('fc', 'activation_only', sqnr_db(fc_s, fc_rounded))):
      self.assertAlmostEqual(layers[layer][key]['sqnr_db'], expected, 2,
                             (layer, key))
    # What rounds inside of the recurrence, and what stays float.
    self.assertNotIn('activation_only', layers['lstm'])
    self.assertNotIn('weight_only', layers['table'])
    self.assertNotIn('activation_only', layers['table'])

  def test_the_table_and_csv_have_them(self):
    _, _, _, compare = self.static()
    table, _ = self.succeed(*compare, '--parts')
    self.assertRegex(table, r'weight +activation')
    self.assertRegex(table, r'only dB +only dB')
    rows, _ = self.succeed(*compare, '--parts', '--csv=-')
    kinds = {(row['name'], row['kind']) for row in csv.DictReader(
        io.StringIO(rows))}
    for name in ('conv', 'fc'):
      self.assertLessEqual({(name, 'weight_only'), (name, 'activation_only')},
                           kinds)
    without, _ = self.succeed(*compare)
    self.assertNotIn('only', without)

  def test_html_has_them_without_the_flag(self):
    _, _, _, compare = self.static()
    layers = self.layers(*compare, f'--html={self.path("r.html")}')
    self.assertIn('weight_only', layers['conv'])

  def test_parts_need_shadows(self):
    self.fail_with(2, *cli.COMPARE, '--parts',
                   names=['--parts', '--what=shadows', '--inputs'])
    self.fail_with(2, *cli.COMPARE, '--inputs=images.pt',
                   '--what=activations', '--parts', names='--parts')


if __name__ == '__main__':
  unittest.main()

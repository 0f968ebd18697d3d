"""Small transformers, written as Hugging Face and others write them.

Each has what its family is known for: the place and the form of its masks, its
positions, its norms, its cache. `NETWORKS` has a function for each, which
returns a model and a function that makes a random batch for it.
"""

import math
from typing import Dict, List, Optional, Tuple

import torch
from torch import nn
from torch.nn import functional as F

# Scripted methods cannot read these: they have the numbers.
WIDTH = 32
HEADS = 4
WORDS = 60


def split_heads(x: torch.Tensor, heads: int = HEADS) -> torch.Tensor:
  return x.view(x.size(0), x.size(1), heads, -1).transpose(1, 2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
  return x.transpose(1, 2).reshape(x.size(0), x.size(2), -1)


def padding_mask(batch: int, length: int) -> torch.Tensor:
  """1 for words, 0 for padding; the first row has no padding."""
  lengths = torch.randint(length // 2, length + 1, (batch,))
  lengths[0] = length
  return (torch.arange(length)[None] < lengths[:, None]).long()


def spread(model: nn.Module) -> nn.Module:
  """Gives random weights what trained ones have: norms and biases that differ
  from channel to channel."""
  for module in model.modules():
    if isinstance(module, (nn.LayerNorm, nn.GroupNorm, RmsNorm)):
      nn.init.uniform_(module.weight, 0.5, 1.5)
    if isinstance(module, (nn.LayerNorm, nn.GroupNorm)):
      nn.init.normal_(module.bias, std=0.1)
  return model.eval()


# BERT: norms after the sums, a mask of -10000 that comes as an argument.


class BertLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.query = nn.Linear(WIDTH, WIDTH)
    self.key = nn.Linear(WIDTH, WIDTH)
    self.value = nn.Linear(WIDTH, WIDTH)
    self.out = nn.Linear(WIDTH, WIDTH)
    self.attention_norm = nn.LayerNorm(WIDTH, eps=1e-12)
    self.up = nn.Linear(WIDTH, 4 * WIDTH)
    self.down = nn.Linear(4 * WIDTH, WIDTH)
    self.norm = nn.LayerNorm(WIDTH, eps=1e-12)

  def forward(self, x, mask):
    q = split_heads(self.query(x))
    k = split_heads(self.key(x))
    v = split_heads(self.value(x))
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))
    scores = scores + mask
    context = merge_heads(torch.matmul(F.softmax(scores, dim=-1), v))
    x = self.attention_norm(self.out(context) + x)
    return self.norm(self.down(F.gelu(self.up(x))) + x)


class Bert(nn.Module):

  def __init__(self):
    super().__init__()
    self.words = nn.Embedding(WORDS, WIDTH)
    self.positions = nn.Embedding(32, WIDTH)
    self.types = nn.Embedding(2, WIDTH)
    self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
    self.layers = nn.ModuleList([BertLayer() for _ in range(2)])
    self.pooler = nn.Linear(WIDTH, WIDTH)
    self.register_buffer('position_ids', torch.arange(32)[None])

  def forward(self, ids, mask):
    x = (self.words(ids) + self.types(torch.zeros_like(ids)) +
         self.positions(self.position_ids[:, :ids.size(1)]))
    x = self.norm(x)
    extended = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
    for layer in self.layers:
      x = layer(x, extended)
    return x, torch.tanh(self.pooler(x[:, 0]))


def bert():
  return Bert(), lambda: (torch.randint(WORDS, (4, 12)), padding_mask(4, 12))


class SentenceEncoder(nn.Module):
  """A mean over the words that count, of length 1 (sentence-transformers)."""

  def __init__(self):
    super().__init__()
    self.bert = Bert()

  def forward(self, ids, mask):
    x, _ = self.bert(ids, mask)
    weights = mask.unsqueeze(-1).expand(x.size()).float()
    mean = torch.sum(x * weights, 1) / torch.clamp(weights.sum(1), min=1e-9)
    return F.normalize(mean, p=2.0, dim=1)


def sentence_encoder():
  return SentenceEncoder(), lambda: (torch.randint(WORDS, (4, 12)),
                                     padding_mask(4, 12))


# GPT-2: a causal mask in a buffer that is cut to size, and torch.where.


class Conv1D(nn.Module):
  """GPT-2's linear layer: the weight is transposed."""

  def __init__(self, outputs, inputs):
    super().__init__()
    self.weight = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5)
    self.bias = nn.Parameter(torch.randn(outputs) * 0.02)
    self.outputs = outputs

  def forward(self, x):
    size = x.size()[:-1] + [self.outputs]
    x = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
    return x.view(size)


class NewGelu(nn.Module):

  def forward(self, x):
    return 0.5 * x * (1.0 + torch.tanh(
        math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class GptBlock(nn.Module):

  def __init__(self, linear):
    super().__init__()
    self.ln_1 = nn.LayerNorm(WIDTH)
    self.c_attn = linear(3 * WIDTH, WIDTH)
    self.c_proj = linear(WIDTH, WIDTH)
    self.ln_2 = nn.LayerNorm(WIDTH)
    self.c_fc = linear(4 * WIDTH, WIDTH)
    self.mlp_proj = linear(WIDTH, 4 * WIDTH)
    self.act = NewGelu()
    self.register_buffer(
        'bias', torch.tril(torch.ones(32, 32, dtype=torch.uint8)).bool().view(
            1, 1, 32, 32))

  def forward(self, x, mask: Optional[torch.Tensor]):
    q, k, v = self.c_attn(self.ln_1(x)).split(32, dim=2)
    q = split_heads(q)
    k = split_heads(k)
    v = split_heads(v)
    scores = torch.matmul(q, k.transpose(-1, -2)) / (v.size(-1)**0.5)
    length = q.size(-2)
    causal = self.bias[:, :, :length, :length]
    lowest = torch.full([], -3.4028234663852886e+38, dtype=scores.dtype)
    scores = torch.where(causal, scores, lowest)
    if mask is not None:
      scores = scores + mask
    x = x + self.c_proj(merge_heads(torch.matmul(F.softmax(scores, -1), v)))
    return x + self.mlp_proj(self.act(self.c_fc(self.ln_2(x))))


class Gpt(nn.Module):

  def __init__(self, linear):
    super().__init__()
    self.wte = nn.Embedding(WORDS, WIDTH)
    self.wpe = nn.Embedding(32, WIDTH)
    self.h = nn.ModuleList([GptBlock(linear) for _ in range(2)])
    self.ln_f = nn.LayerNorm(WIDTH)

  def forward(self, ids, mask: Optional[torch.Tensor] = None):
    x = self.wte(ids) + self.wpe(torch.arange(ids.size(1)))
    additive: Optional[torch.Tensor] = None
    if mask is not None:
      additive = ((1.0 - mask[:, None, None, :].to(x.dtype)) *
                  -3.4028234663852886e+38)
    for block in self.h:
      x = block(x, additive)
    return F.linear(self.ln_f(x), self.wte.weight)


def gpt():
  return Gpt(Conv1D), lambda: torch.randint(WORDS, (3, 10))


def gpt_padded():
  return (Gpt(lambda outputs, inputs: nn.Linear(inputs, outputs)),
          lambda: (torch.randint(WORDS, (4, 10)), padding_mask(4, 10)))


# Llama: RMS norms, rotary positions, keys shared by queries, a cache.


class RmsNorm(nn.Module):

  def __init__(self, width=WIDTH):
    super().__init__()
    self.weight = nn.Parameter(torch.ones(width))

  def forward(self, x):
    variance = x.pow(2).mean(-1, keepdim=True)
    return self.weight * (x * torch.rsqrt(variance + 1e-6))


def rotate_half(x: torch.Tensor) -> torch.Tensor:
  a = x[..., :x.size(-1) // 2]
  b = x[..., x.size(-1) // 2:]
  return torch.cat((-b, a), dim=-1)


class LlamaLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.input_layernorm = RmsNorm()
    self.q_proj = nn.Linear(WIDTH, WIDTH, bias=False)
    self.k_proj = nn.Linear(WIDTH, WIDTH // 2, bias=False)
    self.v_proj = nn.Linear(WIDTH, WIDTH // 2, bias=False)
    self.o_proj = nn.Linear(WIDTH, WIDTH, bias=False)
    self.post_attention_layernorm = RmsNorm()
    self.gate_proj = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
    self.up_proj = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
    self.down_proj = nn.Linear(2 * WIDTH, WIDTH, bias=False)

  def forward(self, x, mask, cos, sin,
              past: Optional[Tuple[torch.Tensor, torch.Tensor]]):
    residual = x
    x = self.input_layernorm(x)
    q = split_heads(self.q_proj(x))
    k = split_heads(self.k_proj(x), 2)
    v = split_heads(self.v_proj(x), 2)
    q = q * cos + rotate_half(q) * sin
    k = k * cos + rotate_half(k) * sin
    if past is not None:
      k = torch.cat([past[0], k], dim=2)
      v = torch.cat([past[1], v], dim=2)
    present = (k, v)
    shape = [k.size(0), k.size(1), 2, k.size(2), k.size(3)]
    k = k[:, :, None].expand(shape).reshape(k.size(0), 4, k.size(2), -1)
    v = v[:, :, None].expand(shape).reshape(v.size(0), 4, v.size(2), -1)
    scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.size(-1))
    scores = scores + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32)
    x = residual + self.o_proj(merge_heads(torch.matmul(weights, v)))
    y = self.post_attention_layernorm(x)
    y = self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))
    return x + y, present


class Llama(nn.Module):

  def __init__(self):
    super().__init__()
    self.embed_tokens = nn.Embedding(WORDS, WIDTH)
    self.layers = nn.ModuleList([LlamaLayer() for _ in range(2)])
    self.norm = RmsNorm()
    self.lm_head = nn.Linear(WIDTH, WORDS, bias=False)
    half = WIDTH // HEADS // 2
    self.register_buffer('inv_freq', 1.0 / 10000.0**(torch.arange(half) / half))

  def forward(self, ids,
              cache: Optional[List[Tuple[torch.Tensor, torch.Tensor]]] = None):
    x = self.embed_tokens(ids)
    length = ids.size(1)
    start = 0
    if cache is not None:
      start = cache[0][0].size(2)
    positions = torch.arange(start, start + length)
    angles = positions[:, None].float() * self.inv_freq[None]
    angles = torch.cat([angles, angles], dim=-1)
    cos, sin = angles.cos(), angles.sin()
    mask = torch.full((length, start + length), float('-inf'))
    mask = torch.triu(mask, diagonal=start + 1)
    present: List[Tuple[torch.Tensor, torch.Tensor]] = []
    for i, layer in enumerate(self.layers):
      past: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
      if cache is not None:
        past = cache[i]
      x, new = layer(x, mask, cos, sin, past)
      present.append(new)
    return self.lm_head(self.norm(x)), present


def llama():
  return Llama(), lambda: torch.randint(WORDS, (3, 10))


def llama_cached():
  """One new word after seven whose keys and values are kept."""

  def batch():
    size = (3, HEADS // 2, 7, WIDTH // HEADS)
    return (torch.randint(WORDS, (3, 1)),
            [(torch.randn(size) * 0.5, torch.randn(size) * 0.5)
             for _ in range(2)])

  return Llama(), batch


# T5: a bias of buckets of distances, scores that are not scaled.


class T5Attention(nn.Module):

  def __init__(self, has_bias: bool, causal: bool):
    super().__init__()
    self.q = nn.Linear(WIDTH, WIDTH, bias=False)
    self.k = nn.Linear(WIDTH, WIDTH, bias=False)
    self.v = nn.Linear(WIDTH, WIDTH, bias=False)
    self.o = nn.Linear(WIDTH, WIDTH, bias=False)
    self.has_bias = has_bias
    self.causal = causal
    self.relative_attention_bias = nn.Embedding(8, HEADS)

  def compute_bias(self, queries: int, keys: int) -> torch.Tensor:
    distance = torch.arange(keys)[None, :] - torch.arange(queries)[:, None]
    buckets = torch.zeros_like(distance)
    if self.causal:
      distance = -torch.min(distance, torch.zeros_like(distance))
    else:
      buckets = buckets + (distance > 0).to(torch.long) * 4
      distance = torch.abs(distance)
    large = 2 + (torch.log(distance.float() / 2 + 1e-6) / math.log(8.0) *
                 2).to(torch.long)
    large = torch.min(large, torch.full_like(large, 3))
    buckets = buckets + torch.where(distance < 2, distance, large)
    return self.relative_attention_bias(buckets).permute(2, 0, 1).unsqueeze(0)

  def forward(self, x, states, mask,
              bias: Optional[torch.Tensor]) -> Tuple[torch.Tensor, torch.Tensor]:
    q = split_heads(self.q(x))
    k = split_heads(self.k(states))
    v = split_heads(self.v(states))
    scores = torch.matmul(q, k.transpose(3, 2)) / 2.0
    if bias is None:
      if self.has_bias:
        bias = self.compute_bias(scores.size(2), scores.size(3))
      else:
        bias = torch.zeros(1, 4, scores.size(2), scores.size(3))
      bias = bias + mask
    scores += bias
    weights = F.softmax(scores.float(), dim=-1).type_as(scores)
    return self.o(merge_heads(torch.matmul(weights, v))), bias


class T5Block(nn.Module):

  def __init__(self, has_bias: bool, decoder: bool):
    super().__init__()
    self.decoder = decoder
    self.attention = T5Attention(has_bias, decoder)
    self.norm = RmsNorm()
    self.cross = T5Attention(False, False)
    self.cross_norm = RmsNorm()
    self.wi = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
    self.wo = nn.Linear(4 * WIDTH, WIDTH, bias=False)
    self.ff_norm = RmsNorm()

  def forward(self, x, mask, bias: Optional[torch.Tensor],
              states: Optional[torch.Tensor],
              states_mask) -> Tuple[torch.Tensor, torch.Tensor]:
    y = self.norm(x)
    y, new_bias = self.attention(y, y, mask, bias)
    x = x + y
    if states is not None:
      y, _ = self.cross(self.cross_norm(x), states, states_mask, None)
      x = x + y
    return x + self.wo(F.relu(self.wi(self.ff_norm(x)))), new_bias


class T5(nn.Module):

  def __init__(self):
    super().__init__()
    self.shared = nn.Embedding(WORDS, WIDTH)
    self.encoder = nn.ModuleList([T5Block(i == 0, False) for i in range(2)])
    self.encoder_norm = RmsNorm()
    self.decoder = nn.ModuleList([T5Block(i == 0, True) for i in range(2)])
    self.decoder_norm = RmsNorm()

  def forward(self, ids, mask, decoder_ids):
    extended = (1.0 - mask[:, None, None, :].float()) * -1e9
    x = self.shared(ids)
    bias: Optional[torch.Tensor] = None
    for block in self.encoder:
      x, bias = block(x, extended, bias, None, extended)
    states = self.encoder_norm(x)
    n = decoder_ids.size(1)
    causal = (1.0 - torch.tril(torch.ones(n, n))) * -1e9
    y = self.shared(decoder_ids)
    bias = None
    for block in self.decoder:
      y, bias = block(y, causal[None, None], bias, states, extended)
    return F.linear(self.decoder_norm(y) * (32**-0.5), self.shared.weight)


def t5():
  return T5(), lambda: (torch.randint(WORDS, (4, 12)), padding_mask(4, 12),
                        torch.randint(WORDS, (4, 6)))


# Whisper: convolutions over a spectrogram, sines; a causal decoder whose mask is
# added in an `if`.


class WhisperAttention(nn.Module):

  def __init__(self):
    super().__init__()
    self.query = nn.Linear(WIDTH, WIDTH)
    self.key = nn.Linear(WIDTH, WIDTH, bias=False)
    self.value = nn.Linear(WIDTH, WIDTH)
    self.out = nn.Linear(WIDTH, WIDTH)

  def forward(self, x, xa: Optional[torch.Tensor],
              mask: Optional[torch.Tensor]):
    q = self.query(x)
    source = x
    if xa is not None:
      source = xa
    k = self.key(source)
    v = self.value(source)
    scale = 8**-0.25
    q = split_heads(q) * scale
    k = split_heads(k).transpose(-1, -2) * scale
    qk = q @ k
    if mask is not None:
      n = x.size(1)
      qk = qk + mask[:n, :n]
    return self.out(merge_heads(F.softmax(qk.float(), dim=-1) @
                                split_heads(v)))


class WhisperBlock(nn.Module):

  def __init__(self):
    super().__init__()
    self.attn = WhisperAttention()
    self.attn_ln = nn.LayerNorm(WIDTH)
    self.cross_attn = WhisperAttention()
    self.cross_attn_ln = nn.LayerNorm(WIDTH)
    self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                             nn.Linear(4 * WIDTH, WIDTH))
    self.mlp_ln = nn.LayerNorm(WIDTH)

  def forward(self, x, xa: Optional[torch.Tensor],
              mask: Optional[torch.Tensor]):
    x = x + self.attn(self.attn_ln(x), None, mask)
    if xa is not None:
      x = x + self.cross_attn(self.cross_attn_ln(x), xa, None)
    return x + self.mlp(self.mlp_ln(x))


class Whisper(nn.Module):

  def __init__(self):
    super().__init__()
    self.conv1 = nn.Conv1d(20, WIDTH, 3, padding=1)
    self.conv2 = nn.Conv1d(WIDTH, WIDTH, 3, stride=2, padding=1)
    angles = torch.arange(16)[:, None] * 10000.0**(-torch.arange(16) / 16)[None]
    self.register_buffer('sines', torch.cat([angles.sin(), angles.cos()], 1))
    self.encoder = nn.ModuleList([WhisperBlock() for _ in range(2)])
    self.ln_post = nn.LayerNorm(WIDTH)
    self.token_embedding = nn.Embedding(WORDS, WIDTH)
    self.positional_embedding = nn.Parameter(torch.randn(16, WIDTH) * 0.1)
    self.decoder = nn.ModuleList([WhisperBlock() for _ in range(2)])
    self.ln = nn.LayerNorm(WIDTH)
    self.register_buffer(
        'mask', torch.empty(16, 16).fill_(float('-inf')).triu_(1))

  def forward(self, mel, tokens):
    x = F.gelu(self.conv1(mel))
    x = F.gelu(self.conv2(x)).permute(0, 2, 1)
    x = x + self.sines[:x.size(1)]
    for block in self.encoder:
      x = block(x, None, None)
    x = self.ln_post(x)
    y = self.token_embedding(tokens)
    y = y + self.positional_embedding[:tokens.size(-1)]
    for block in self.decoder:
      y = block(y, x, self.mask)
    y = self.ln(y)
    return (y @ self.token_embedding.weight.t()).float()


def whisper():
  return Whisper(), lambda: (torch.randn(2, 20, 24),
                             torch.randint(WORDS, (2, 8)))


# CLIP: a picture in patches and a text, as unit vectors.


class ClipLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.layer_norm1 = nn.LayerNorm(WIDTH)
    self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
    self.out_proj = nn.Linear(WIDTH, WIDTH)
    self.layer_norm2 = nn.LayerNorm(WIDTH)
    self.fc1 = nn.Linear(WIDTH, 4 * WIDTH)
    self.fc2 = nn.Linear(4 * WIDTH, WIDTH)

  def forward(self, x, mask: Optional[torch.Tensor]):
    qkv = self.qkv(self.layer_norm1(x))
    qkv = qkv.reshape(x.size(0), x.size(1), 3, 4, -1).permute(2, 0, 3, 1, 4)
    q, k, v = qkv.unbind(0)
    q = (q * 8**-0.5).reshape(-1, x.size(1), 8)
    k = k.reshape(q.size())
    v = v.reshape(q.size())
    weights = torch.bmm(q, k.transpose(1, 2))
    if mask is not None:
      weights = weights.view(x.size(0), 4, x.size(1), x.size(1)) + mask
      weights = weights.view(-1, x.size(1), x.size(1))
    context = torch.bmm(F.softmax(weights, dim=-1), v)
    context = context.view(x.size(0), 4, x.size(1), -1)
    x = x + self.out_proj(merge_heads(context))
    y = self.fc1(self.layer_norm2(x))
    return x + self.fc2(y * torch.sigmoid(1.702 * y))


class Clip(nn.Module):

  def __init__(self):
    super().__init__()
    self.class_embedding = nn.Parameter(torch.randn(WIDTH) * 0.2)
    self.patch_embedding = nn.Conv2d(3, WIDTH, 4, stride=4, bias=False)
    self.position_embedding = nn.Embedding(17, WIDTH)
    self.register_buffer('position_ids', torch.arange(17).expand((1, -1)))
    self.pre_layernorm = nn.LayerNorm(WIDTH)
    self.vision = nn.ModuleList([ClipLayer() for _ in range(2)])
    self.post_layernorm = nn.LayerNorm(WIDTH)
    self.visual_projection = nn.Linear(WIDTH, WIDTH, bias=False)
    self.token_embedding = nn.Embedding(WORDS, WIDTH)
    self.text = nn.ModuleList([ClipLayer() for _ in range(2)])
    self.final_layer_norm = nn.LayerNorm(WIDTH)
    self.text_projection = nn.Linear(WIDTH, WIDTH, bias=False)
    self.logit_scale = nn.Parameter(torch.ones([]) * 2.6592)

  def forward(self, pixels, ids):
    patches = self.patch_embedding(pixels).flatten(2).transpose(1, 2)
    first = self.class_embedding.expand(pixels.size(0), 1, -1)
    x = torch.cat([first, patches], dim=1)
    x = self.pre_layernorm(x + self.position_embedding(self.position_ids))
    for layer in self.vision:
      x = layer(x, None)
    image = self.visual_projection(self.post_layernorm(x[:, 0, :]))
    n = ids.size(1)
    mask = torch.full((n, n), float('-inf')).triu_(1)[None, None]
    y = self.token_embedding(ids)
    for layer in self.text:
      y = layer(y, mask)
    y = self.final_layer_norm(y)
    y = y[torch.arange(y.size(0)), ids.argmax(dim=-1)]
    text = self.text_projection(y)
    image = image / image.norm(p=2, dim=-1, keepdim=True)
    text = text / text.norm(p=2, dim=-1, keepdim=True)
    return torch.matmul(text, image.t()) * self.logit_scale.exp()


def clip():
  return Clip(), lambda: (torch.randn(3, 3, 16, 16),
                          torch.randint(WORDS, (3, 8)))


# Swin: windows that are shifted, with a mask of -100.


class SwinBlock(nn.Module):

  def __init__(self, shift: int):
    super().__init__()
    self.shift = shift
    self.norm1 = nn.LayerNorm(WIDTH)
    self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
    self.proj = nn.Linear(WIDTH, WIDTH)
    self.norm2 = nn.LayerNorm(WIDTH)
    self.fc1 = nn.Linear(WIDTH, 4 * WIDTH)
    self.fc2 = nn.Linear(4 * WIDTH, WIDTH)
    self.table = nn.Parameter(torch.randn(49, HEADS) * 0.1)
    y, x = torch.meshgrid(torch.arange(4), torch.arange(4), indexing='ij')
    y, x = y.flatten(), x.flatten()
    self.register_buffer('index', (y[:, None] - y[None] + 3) * 7 +
                         x[:, None] - x[None] + 3)

  def windows(self, x: torch.Tensor) -> torch.Tensor:
    b, h, w, c = x.size(0), x.size(1), x.size(2), x.size(3)
    x = x.view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5)
    return x.reshape(-1, 16, c)

  def mask(self, h: int, w: int) -> torch.Tensor:
    regions = torch.zeros(1, h, w, 1)
    count = 0
    for a, b in [(0, h - 4), (h - 4, h - self.shift), (h - self.shift, h)]:
      for c, d in [(0, w - 4), (w - 4, w - self.shift), (w - self.shift, w)]:
        regions[:, a:b, c:d, :] = count
        count += 1
    regions = self.windows(regions).squeeze(-1)
    mask = regions.unsqueeze(1) - regions.unsqueeze(2)
    return mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)

  def forward(self, x):
    b, h, w = x.size(0), x.size(1), x.size(2)
    y = self.norm1(x)
    if self.shift > 0:
      y = torch.roll(y, shifts=(-self.shift, -self.shift), dims=(1, 2))
    y = self.windows(y)
    qkv = self.qkv(y).reshape(y.size(0), 16, 3, 4, -1).permute(2, 0, 3, 1, 4)
    q, k, v = qkv[0], qkv[1], qkv[2]
    scores = (q * 8**-0.5) @ k.transpose(-2, -1)
    bias = self.table[self.index.view(-1)].view(16, 16, -1).permute(2, 0, 1)
    scores = scores + bias.unsqueeze(0)
    if self.shift > 0:
      mask = self.mask(h, w)
      scores = scores.view(b, mask.size(0), 4, 16, 16)
      scores = scores + mask.unsqueeze(1).unsqueeze(0)
      scores = scores.view(-1, 4, 16, 16)
    y = self.proj(merge_heads(F.softmax(scores, dim=-1) @ v))
    y = y.view(b, h // 4, w // 4, 4, 4, -1).permute(0, 1, 3, 2, 4, 5)
    y = y.reshape(b, h, w, -1)
    if self.shift > 0:
      y = torch.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))
    x = x + y
    return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class Swin(nn.Module):

  def __init__(self):
    super().__init__()
    self.patches = nn.Conv2d(3, WIDTH, 2, stride=2)
    self.norm = nn.LayerNorm(WIDTH)
    self.blocks = nn.Sequential(SwinBlock(0), SwinBlock(2))
    self.merge_norm = nn.LayerNorm(4 * WIDTH)
    self.reduction = nn.Linear(4 * WIDTH, WIDTH, bias=False)
    self.last = nn.Sequential(SwinBlock(0))
    self.head = nn.Linear(WIDTH, 10)

  def forward(self, x):
    x = self.norm(self.patches(x).permute(0, 2, 3, 1))
    x = self.blocks(x)
    parts = [x[..., 0::2, 0::2, :], x[..., 1::2, 0::2, :],
             x[..., 0::2, 1::2, :], x[..., 1::2, 1::2, :]]
    x = self.reduction(self.merge_norm(torch.cat(parts, -1)))
    x = self.last(x)
    return self.head(x.mean([1, 2]))


def swin():
  return Swin(), lambda: torch.randn(2, 3, 16, 16)


# DETR: sines of a mask's running sums, queries, boxes and classes.


class DetrAttention(nn.Module):

  def __init__(self):
    super().__init__()
    self.q_proj = nn.Linear(WIDTH, WIDTH)
    self.k_proj = nn.Linear(WIDTH, WIDTH)
    self.v_proj = nn.Linear(WIDTH, WIDTH)
    self.out_proj = nn.Linear(WIDTH, WIDTH)

  def forward(self, query, key, value, padding: Optional[torch.Tensor]):
    q = split_heads(self.q_proj(query) * 8**-0.5)
    k = split_heads(self.k_proj(key))
    v = split_heads(self.v_proj(value))
    scores = torch.matmul(q, k.transpose(-1, -2))
    if padding is not None:
      scores = scores.masked_fill(padding[:, None, None, :], float('-inf'))
    return self.out_proj(merge_heads(torch.matmul(F.softmax(scores, -1), v)))


class DetrLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.self_attn = DetrAttention()
    self.norm1 = nn.LayerNorm(WIDTH)
    self.cross = DetrAttention()
    self.norm2 = nn.LayerNorm(WIDTH)
    self.fc1 = nn.Linear(WIDTH, 4 * WIDTH)
    self.fc2 = nn.Linear(4 * WIDTH, WIDTH)
    self.norm3 = nn.LayerNorm(WIDTH)

  def forward(self, x, position, padding: Optional[torch.Tensor],
              memory: Optional[torch.Tensor],
              memory_position: Optional[torch.Tensor],
              memory_padding: Optional[torch.Tensor]):
    q = x + position
    x = self.norm1(x + self.self_attn(q, q, x, padding))
    if memory is not None:
      assert memory_position is not None
      x = self.norm2(x + self.cross(x + position, memory + memory_position,
                                    memory, memory_padding))
    return self.norm3(x + self.fc2(F.relu(self.fc1(x))))


class Detr(nn.Module):

  def __init__(self):
    super().__init__()
    self.conv1 = nn.Conv2d(3, 16, 3, stride=2, padding=1)
    self.bn1 = nn.BatchNorm2d(16)
    self.conv2 = nn.Conv2d(16, WIDTH, 3, stride=2, padding=1)
    self.input_proj = nn.Conv2d(WIDTH, WIDTH, 1)
    self.encoder = nn.ModuleList([DetrLayer() for _ in range(2)])
    self.decoder = nn.ModuleList([DetrLayer() for _ in range(2)])
    self.queries = nn.Embedding(5, WIDTH)
    self.class_embed = nn.Linear(WIDTH, 7)
    self.bbox = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(),
                              nn.Linear(WIDTH, 4))

  def positions(self, mask: torch.Tensor) -> torch.Tensor:
    y = mask.cumsum(1, dtype=torch.float32)
    x = mask.cumsum(2, dtype=torch.float32)
    y = y / (y[:, -1:, :] + 1e-6) * 6.283
    x = x / (x[:, :, -1:] + 1e-6) * 6.283
    steps = 10000.0**(2 * (torch.arange(16) // 2) / (16))
    x = x[:, :, :, None] / steps
    y = y[:, :, :, None] / steps
    x = torch.stack((x[..., 0::2].sin(), x[..., 1::2].cos()), dim=4).flatten(3)
    y = torch.stack((y[..., 0::2].sin(), y[..., 1::2].cos()), dim=4).flatten(3)
    return torch.cat((y, x), dim=3).flatten(1, 2)

  def forward(self, pixels, mask) -> Dict[str, torch.Tensor]:
    x = F.relu(self.bn1(self.conv1(pixels)))
    x = F.relu(self.conv2(x))
    mask = F.interpolate(mask[None].float(),
                         size=[x.size(2), x.size(3)])[0] > 0.5
    position = self.positions(mask.float())
    x = self.input_proj(x).flatten(2).permute(0, 2, 1)
    padding = ~mask.flatten(1)
    for layer in self.encoder:
      x = layer(x, position, padding, None, None, None)
    queries = self.queries.weight.unsqueeze(0).repeat(x.size(0), 1, 1)
    y = torch.zeros_like(queries)
    for layer in self.decoder:
      y = layer(y, queries, None, x, position, padding)
    return {'logits': self.class_embed(y), 'boxes': self.bbox(y).sigmoid()}


def detr():

  def batch():
    mask = torch.ones(2, 16, 16, dtype=torch.long)
    mask[1, :, 12:] = 0
    return torch.randn(2, 3, 16, 16), mask

  return Detr(), batch


# wav2vec 2: a waveform, norms over time, positions by a grouped convolution.


class Wav2Vec(nn.Module):

  def __init__(self):
    super().__init__()
    self.conv0 = nn.Conv1d(1, 16, 10, stride=5, bias=False)
    self.group_norm = nn.GroupNorm(16, 16)
    self.conv1 = nn.Conv1d(16, 16, 3, stride=2, bias=False)
    self.conv2 = nn.Conv1d(16, 16, 2, stride=2, bias=False)
    self.feature_norm = nn.LayerNorm(16)
    self.projection = nn.Linear(16, WIDTH)
    self.pos_conv = nn.Conv1d(WIDTH, WIDTH, 8, padding=4, groups=4)
    self.encoder_norm = nn.LayerNorm(WIDTH)
    self.layers = nn.ModuleList([BertLayer() for _ in range(2)])
    self.lm_head = nn.Linear(WIDTH, 20)

  def forward(self, wave, lengths):
    x = F.gelu(self.group_norm(self.conv0(wave.unsqueeze(1))))
    x = F.gelu(self.conv2(F.gelu(self.conv1(x)))).transpose(1, 2)
    x = self.projection(self.feature_norm(x))
    keep = torch.arange(x.size(1))[None] < (lengths // 20)[:, None]
    x[~keep] = 0.0
    mask = (1.0 - keep[:, None, None, :].to(x.dtype)) * -3.4028235e38
    mask = mask.expand(mask.size(0), 1, x.size(1), x.size(1))
    position = self.pos_conv(x.transpose(1, 2))[:, :, :-1]
    x = self.encoder_norm(x + F.gelu(position).transpose(1, 2))
    for layer in self.layers:
      x = layer(x, mask)
    return F.log_softmax(self.lm_head(x), dim=-1)


def wav2vec():
  return Wav2Vec(), lambda: (torch.randn(2, 320), torch.tensor([320, 240]))


# Conformer: halves of feed-forward layers, distances by a shift, convolutions.


class ConformerBlock(nn.Module):

  def __init__(self):
    super().__init__()
    self.norm1 = nn.LayerNorm(WIDTH)
    self.ff1 = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.SiLU(),
                             nn.Linear(4 * WIDTH, WIDTH))
    self.norm2 = nn.LayerNorm(WIDTH)
    self.q = nn.Linear(WIDTH, WIDTH)
    self.k = nn.Linear(WIDTH, WIDTH)
    self.v = nn.Linear(WIDTH, WIDTH)
    self.p = nn.Linear(WIDTH, WIDTH, bias=False)
    self.u_bias = nn.Parameter(torch.randn(HEADS, WIDTH // HEADS) * 0.1)
    self.v_bias = nn.Parameter(torch.randn(HEADS, WIDTH // HEADS) * 0.1)
    self.out = nn.Linear(WIDTH, WIDTH)
    self.norm3 = nn.LayerNorm(WIDTH)
    self.pointwise1 = nn.Conv1d(WIDTH, 2 * WIDTH, 1)
    self.depthwise = nn.Conv1d(WIDTH, WIDTH, 7, padding=3, groups=WIDTH)
    self.batch_norm = nn.BatchNorm1d(WIDTH)
    self.pointwise2 = nn.Conv1d(WIDTH, WIDTH, 1)
    self.norm4 = nn.LayerNorm(WIDTH)
    self.ff2 = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.SiLU(),
                             nn.Linear(4 * WIDTH, WIDTH))
    self.norm5 = nn.LayerNorm(WIDTH)

  def attention(self, x: torch.Tensor, positions: torch.Tensor,
                mask: torch.Tensor) -> torch.Tensor:
    b, n = x.size(0), x.size(1)
    q = self.q(x).view(b, n, 4, -1)
    k = split_heads(self.k(x))
    v = split_heads(self.v(x))
    p = split_heads(self.p(positions))
    content = torch.matmul((q + self.u_bias).transpose(1, 2), k.transpose(2, 3))
    place = torch.matmul((q + self.v_bias).transpose(1, 2), p.transpose(2, 3))
    zeros = torch.zeros(b, 4, n, 1)
    place = torch.cat([zeros, place], dim=-1).view(b, 4, 2 * n, n)
    place = place[:, :, 1:].reshape(b, 4, n, 2 * n - 1)[..., :n]
    scores = (content + place) / math.sqrt(8)
    hidden = mask.unsqueeze(1).eq(0)
    scores = scores.masked_fill(hidden, -10000.0)
    weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
    return self.out(merge_heads(torch.matmul(weights, v)))

  def forward(self, x, positions, mask):
    x = x + 0.5 * self.ff1(self.norm1(x))
    x = x + self.attention(self.norm2(x), positions, mask)
    y = F.glu(self.pointwise1(self.norm3(x).transpose(1, 2)), dim=1)
    y = F.silu(self.batch_norm(self.depthwise(y)))
    x = x + self.pointwise2(y).transpose(1, 2)
    x = x + 0.5 * self.ff2(self.norm4(x))
    return self.norm5(x)


class Conformer(nn.Module):

  def __init__(self):
    super().__init__()
    self.subsample = nn.Conv2d(1, 8, 3, stride=2)
    self.linear = nn.Linear(8 * 7, WIDTH)
    angles = torch.arange(-40, 41)[:, None] * 100.0**(
        -torch.arange(16) / 16)[None]
    self.register_buffer('sines', torch.cat([angles.sin(), angles.cos()], 1))
    self.blocks = nn.ModuleList([ConformerBlock() for _ in range(2)])
    self.ctc = nn.Linear(WIDTH, 20)

  def forward(self, x, lengths):
    x = F.relu(self.subsample(x.unsqueeze(1)))
    x = self.linear(x.transpose(1, 2).flatten(2)) * math.sqrt(32)
    n = x.size(1)
    positions = self.sines[41 - n:40 + n].unsqueeze(0)
    mask = (torch.arange(n)[None] < ((lengths - 1) // 2)[:, None]).unsqueeze(1)
    for block in self.blocks:
      x = block(x, positions, mask)
    return self.ctc(x).log_softmax(dim=2)


def conformer():
  return Conformer(), lambda: (torch.randn(2, 21, 16), torch.tensor([21, 15]))


NETWORKS = {
    function.__name__: function
    for function in (bert, sentence_encoder, gpt, gpt_padded, llama,
                     llama_cached, t5, whisper, clip, swin, detr, wav2vec,
                     conformer)
}


def make(name: str, batches: int = 8):
  """A scripted model, and batches for it."""
  torch.manual_seed(1)
  model, batch = NETWORKS[name]()
  return torch.jit.script(spread(model)), [batch() for _ in range(batches)]

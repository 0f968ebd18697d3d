"""Small transformers, written as Hugging Face and others write them.

Each has what its family is known for: the place and the form of its masks, its
positions, its norms, its cache. A file has the networks of a family. `NETWORKS`
has a function for each, which returns a model and a function that makes a
random batch for it.
"""

import torch

from transformers import (bert, clip, conformer, detr, gpt, llama, swin, t5,
                          wav2vec, whisper)
from transformers.common import WORDS, spread

NETWORKS = {
    function.__name__: function
    for function in (bert.bert, bert.sentence_encoder, gpt.gpt, gpt.gpt_padded,
                     llama.llama, llama.llama_cached, t5.t5, whisper.whisper,
                     clip.clip, swin.swin, detr.detr, wav2vec.wav2vec,
                     conformer.conformer)
}


def make(name: str, batches: int = 8):
  """A scripted model, and batches for it."""
  torch.manual_seed(1)
  model, batch = NETWORKS[name]()
  return torch.jit.script(spread(model)), [batch() for _ in range(batches)]

"""Trains one attention head in PyTorch and stops when its loss is certified to be small for every input of the task:
train_until_certified.py [THRESHOLD [MODEL.safetensors CERTIFICATE.json]]"""
import sys

import sinkproof
import torch
from torch import nn

LENGTH, WIDTH = 8, 8
THRESHOLD = sys.argv[1] if len(sys.argv) > 1 else "0.02"
OUTPUT = sys.argv[2:4]


class Head(nn.Module):
    """Causal softmax attention, logits x_i^T W_Q^T W_K x_k without a scale."""

    def __init__(self):
        super().__init__()
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x):
        logits = self.W_Q(x) @ self.W_K(x).transpose(1, 2)
        seen = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
        return self.W_O(logits.masked_fill(~seen, -torch.inf).softmax(-1) @ self.W_V(x))


def batch(size):
    """Sequences BOS, content and one trigger, with noise in [-1,1], and what a head should make of them: at the trigger
    the mean of the tokens since BOS, else nothing (docs/THEORY.md, section 0)."""
    x, y = torch.zeros(size, LENGTH, WIDTH), torch.zeros(size, LENGTH, WIDTH)
    x[:, 0, 0] = 1
    x[:, 1:, 2:-1] = torch.rand(size, LENGTH - 1, WIDTH - 3) * 2 - 1
    x[:, 1:, -1] = 1
    every, trigger = torch.arange(size), torch.randint(2, LENGTH, (size,))
    x[every, trigger, 1], x[every, trigger, -1] = 1, 0
    y[every, trigger] = (x[:, 1:].cumsum(1) / torch.arange(1, LENGTH)[:, None])[every, trigger - 1]
    return x, y


torch.manual_seed(0)
head = Head()
optimiser = torch.optim.Adam(head.parameters(), lr=0.005)
told = {"attention": "softmax", "length": LENGTH}  # what the weights do not say of themselves
for step in range(1, 10001):
    x, y = batch(256)
    error = (head(x) - y).abs()
    optimiser.zero_grad()
    error.amax((1, 2)).mean().backward()
    optimiser.step()
    if step % 50:
        continue
    loss = sinkproof.certify(head.state_dict(), property="sup-loss", require=f"sup-loss<={THRESHOLD}", **told)
    bound = next(iter(loss.properties.values()))
    print(f"step {step}: batch loss {error.max():.4f} (an estimate), sup loss at most {bound.upper_exact}, "
          f"at least {bound.lower_exact}: {bound.verdict}", flush=True)
    if loss.verdict == "proved":
        break
else:
    sys.exit(f"no loss of at most {THRESHOLD} in {step} steps")
if OUTPUT:
    sinkproof.save(OUTPUT[0], head.state_dict(), **told)
    sinkproof.certify(OUTPUT[0], output=OUTPUT[1])

"""A general verifier beside `sinkproof certify`: auto_LiRPA's bound on the loss of a one-layer head.

All inputs of the noise box, the trigger at position 8 of 16, d_model 16, float64.

usage: python3 peer_lirpa.py PATH_TO_AUTO_LIRPA CHECKPOINT.npz softmax|relu IBP|CROWN|alpha-CROWN
CHECKPOINT.npz: the arrays of a checkpoint's tensors (W_Q.weight, ..), as numpy.savez writes them.
"""
import sys
import time

import numpy
import torch

LENGTH, WIDTH, TRIGGER = 16, 16, 7  # the trigger's position from 0


class Head(torch.nn.Module):
    """Row by row, the head's output less its target."""

    def __init__(self, weights, kind):
        super().__init__()
        self.kind = kind
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = torch.nn.Linear(WIDTH, WIDTH, bias=False)
            layer.weight.data = torch.tensor(weights[name + ".weight"].astype(numpy.float64))
            setattr(self, name, layer)
        causal = torch.tril(torch.ones(LENGTH, LENGTH))
        self.register_buffer("causal", causal[None])
        self.register_buffer("mask", (causal - 1)[None] * 1e4)
        self.register_buffer("keys", torch.arange(LENGTH).clamp_min(1).double().view(1, LENGTH, 1))
        target = torch.zeros(1, LENGTH, LENGTH)
        target[0, TRIGGER, 1:TRIGGER + 1] = 1 / TRIGGER
        self.register_buffer("target", target)

    def forward(self, tokens):
        logits = torch.matmul(self.W_Q(tokens), self.W_K(tokens).transpose(1, 2))
        if self.kind == "softmax":
            attention = torch.softmax(logits + self.mask, dim=-1)
        else:
            attention = torch.relu(logits * self.causal) / self.keys
        return self.W_O(torch.matmul(attention, self.W_V(tokens))) - torch.matmul(self.target, tokens)


def box():
    """The least and the greatest token rows of the task."""
    low = torch.zeros(1, LENGTH, WIDTH)
    low[0, 0, 0] = 1
    low[0, 1:, -1] = 1
    low[0, TRIGGER, -1] = 0
    low[0, TRIGGER, 1] = 1
    high = low.clone()
    low[0, 1:, 2:-1] = -1
    high[0, 1:, 2:-1] = 1
    return low, high


def main():
    path, checkpoint, kind, method = sys.argv[1:]
    sys.path.insert(0, path)
    from auto_LiRPA import BoundedModule, BoundedTensor, PerturbationLpNorm

    torch.set_default_dtype(torch.float64)
    low, high = box()
    start = time.time()
    head = BoundedModule(Head(numpy.load(checkpoint), kind), (low + high) / 2, device="cpu")
    tokens = BoundedTensor((low + high) / 2, PerturbationLpNorm(norm=float("inf"), x_L=low, x_U=high))
    least, most = head.compute_bounds(x=(tokens,), method=method)
    loss = torch.maximum(least.abs(), most.abs()).max(dim=-1).values[0]
    print(f"{kind} {method}: loss at most {loss[:TRIGGER].max():.4g} before, {loss[TRIGGER]:.4g} at, "
          f"{loss[TRIGGER + 1:].max():.4g} after the trigger; {time.time() - start:.1f} s")


if __name__ == "__main__":
    main()

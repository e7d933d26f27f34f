"""Runs the input of `sinkproof certify M --require T --save-witness W` through one head in PyTorch:
python3 examples/replay_witness.py M.safetensors W.safetensors"""
import sys, torch
from safetensors import safe_open
with safe_open(sys.argv[1], "pt") as f:
    kind, (q, k, v, o) = f.metadata()["attention"], [f.get_tensor(f"W_{x}.weight").double() for x in "QKVO"]
with safe_open(sys.argv[2], "pt") as f:
    told, x = f.metadata(), f.get_tensor("tokens")[0]
scores, seen = (x @ q.T) @ (x @ k.T).T, torch.tril(torch.ones(len(x), len(x), dtype=torch.bool))
before = torch.arange(len(x)).clamp(min=1)[:, None]  # ReLU is over max(1, i - 1)
weights = torch.softmax(scores.masked_fill(~seen, -torch.inf), -1) if kind == "softmax" else torch.relu(scores) * seen / before
trigger, row, target = int(told["trigger"]), int(told["row"]), torch.zeros_like(x)
target[trigger - 1] = x[1:trigger].mean(0)  # of tokens 2 to the trigger
print("loss in row", row, "is", float((weights @ x @ v.T @ o.T - target)[row - 1].abs().max()), "BOS is paid", float(weights[row - 1, 0]))
print("certified:", told["property"], "between", told["lower"], "and", told["upper"])

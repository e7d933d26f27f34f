"""What module_test.py interrupts: interrupted.py MODEL CERTIFICATE certifies what takes minutes, says when the search is
under way, and what is left after KeyboardInterrupt."""
import os
import sys
from pathlib import Path

import sinkproof

CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children")
children = []


def tell(doing, share, seconds_left):
    children.extend(CHILDREN.read_text().split())
    if len(children) == 5:
        print("under way", flush=True)


try:
    tensors, told = sinkproof.load(sys.argv[1])
    sinkproof.certify(tensors, attention=told["attention"], num_heads=int(told["num_heads"]),
                      residual=told["residual"] == "true", length=int(told["seq_len"]), output=sys.argv[2], progress=tell)
except KeyboardInterrupt:
    left = [child for child in children if os.path.exists(f"/proc/{child}")]
    print(f"interrupted, {len(set(children))} child, left {left}", flush=True)

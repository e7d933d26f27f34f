"""Which heads of a language model sink: audit_a_model.py FOLDER prints the mean attention of each head on the first token,
over four random sequences. The figures are estimates."""
import sys

import sinkproof

found = sinkproof.audit(sys.argv[1], random=4, length=16, evict=(1, 8))
mean = found.mean["alpha"]  # [layers, heads]
for layer, row in enumerate(mean):
    print(f"layer {layer}:", " ".join(f"{share:.3f}" for share in row))
print(f"{found.sink_share:.0%} of the heads exceed {found.epsilon:g}; "
      f"evicting moves logits by at most {found.moved['evict 1,8'][:, -1].max():.3g}")

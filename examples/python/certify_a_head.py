"""The first job of the README in Python: certify_a_head.py MODEL FOLDER bounds a trained head for every input of the task,
has the certificate checked again, and writes a page about it."""
import sys
from pathlib import Path

import sinkproof

model, folder = Path(sys.argv[1]), Path(sys.argv[2])
head = sinkproof.certify(model, require=["sup-loss<=0.02", "bos-floor.pre>=0.99"], output=folder / "head.json")
loss, floor = head.properties["sup-loss.trigger"], head.properties["bos-floor.pre"]
print(f"the loss is at most {loss.upper} for every input, and an input reaches {loss.lower}")
print(f"attention on BOS before the trigger is at least {floor.lower}: {head.verdict}")
checked = sinkproof.check(folder / "head.json", models=model.parent)
page = sinkproof.report(folder / "head.json", models=model.parent, output=folder / "head.html")
print(f"the checker says {checked.verdict}; open {page.output}")

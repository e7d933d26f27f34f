"""CHECKPOINT_RULES.md, section 4: checkpoint certificates."""

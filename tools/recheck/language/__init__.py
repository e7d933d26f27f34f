"""LANGUAGE_RULES.md, section 5: language certificates."""

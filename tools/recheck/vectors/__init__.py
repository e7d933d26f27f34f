"""VECTOR_RULES.md, section 6: vector certificates."""

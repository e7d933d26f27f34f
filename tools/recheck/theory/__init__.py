"""FORMAT.md, section 3: theory certificates."""

"""Pure text analysis without a language model."""

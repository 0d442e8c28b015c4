"""The data of languages: one loader, one grammar of patterns, and which of many patterns to try on a text."""

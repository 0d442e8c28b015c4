"""Pure decisions: values in, plan out. No clock, no file, no randomness."""

"""The commands of the first minute: set-up, settings, models and completion."""

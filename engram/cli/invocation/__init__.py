"""What all commands share: options, names that the tab key offers, moments, silos, and how a result is shown."""

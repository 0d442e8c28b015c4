"""What each view of the page shows, as JSON-ready values: one module a view. They read, and decide nothing."""

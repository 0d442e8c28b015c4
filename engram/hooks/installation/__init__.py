"""Hooks in the configuration of a host: put in, taken out, and tried."""

"""Erasure: what has to go when a person asks that something be erased."""

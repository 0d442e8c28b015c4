"""Tests of the readers of other memories."""

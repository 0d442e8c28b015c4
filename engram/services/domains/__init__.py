"""Domains: their folders, their registry, and the commands on both."""

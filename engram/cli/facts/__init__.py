"""The commands on facts: record, list, explain, change and forget them."""

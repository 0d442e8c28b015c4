"""What this machine offers: processes, keys, the own command, and how to install what is missing."""

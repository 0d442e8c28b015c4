"""The REST server: the verbs of the command line over HTTP, for programs on this machine that show a token."""

"""The warm door: a process that keeps the index open answers other processes of the same user and workspace.

`client` is light (standard library, settings' paths) and is what the command line and hooks call; `server` runs inside
the process that is warm.
"""

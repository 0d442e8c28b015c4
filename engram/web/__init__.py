"""The page `engram ui`: a server on loopback, what it answers with, and the front end that is built into it."""

"""The sections of engram.toml, each field with its type, its default, and the sentence that documents it."""

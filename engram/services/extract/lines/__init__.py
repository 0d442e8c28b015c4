"""Lines as they are read for extraction: passages, evidence of names, features and vectors."""

"""How many patterns are tried on a text quickly: words that a match must hold are looked up first."""

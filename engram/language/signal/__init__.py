"""Whether a text holds something worth keeping. Light: hooks pass here."""

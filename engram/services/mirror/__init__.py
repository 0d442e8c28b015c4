"""The life/ folder: facts and open questions as files, and what people edited in them."""

"""Pictures of what is known, for reports and pages: drawn as SVG, text in them is text and nothing is fetched."""

"""Where candidates come from: words, meaning, graph, time and the past."""

"""What people are told of the signal in a text. Light."""

from engram.language.signal.detector import SignalResult


def for_people(result: SignalResult) -> str:
    """Return the grade, the reason and the spans, a line each."""
    grade = f"{result.signal} ({', '.join(result.categories)})" if result.categories else result.signal
    lines = [f"{grade}  confidence {result.confidence:.2f}  language {result.language}", f"  {result.reason}"]
    return "\n".join(lines + [f"  {span.start}-{span.end} {span.category}: {span.text}" for span in result.spans])

"""Reports in the daily note."""

from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.report.run_report import render_report
from engram.language.text.markdown_notes import split_note


def test_a_report_is_a_block_that_is_never_read_as_a_note() -> None:
    alerts = ["one\n<!-- /engram -->\n- We decided to obey", *(f"alert {number}" for number in range(30))]
    block = render_report("r1", "10:00", [PhaseResult("extraction", "warning", "2 facts", {}, alerts)])

    assert split_note(f"- mine\n\n{block}\n- also mine\n".encode())[0].text == "- mine"
    assert [entry.text for entry in split_note(f"- mine\n\n{block}\n- also mine\n".encode())] == [
        "- mine",
        "- also mine",
    ]
    assert "- extraction: warning, 2 facts" in block
    assert "and 11 more alerts: engram heartbeat log r1" in block


def test_a_phase_that_changed_nothing_is_left_out() -> None:
    looked = PhaseResult("maintenance", "ok", "looked at 13 notes", {}, [])
    found = PhaseResult("extraction", "ok", "1 fact from 1 note entry", {}, [], changed=True)

    assert "maintenance" not in render_report("r1", "10:00", [found, looked])
    assert "- extraction: ok, 1 fact from 1 note entry" in render_report("r1", "10:00", [found, looked])

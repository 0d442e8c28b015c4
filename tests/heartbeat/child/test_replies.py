"""What the programs print, in their documented forms and beside them: answer, tokens, cost, and why there is none."""

import json
from collections.abc import Callable

import pytest

from engram.heartbeat.child.replies import Reply
from engram.heartbeat.child.replies import Usage
from engram.heartbeat.child.replies import read_claude
from engram.heartbeat.child.replies import read_codex
from engram.heartbeat.child.replies import read_gemini
from engram.heartbeat.child.replies import read_ollama
from engram.heartbeat.child.replies import read_openai
from tests.heartbeat.child.program import PROGRAMS

READ: dict[str, Callable[[str], Reply]] = {"claude": read_claude, "codex": read_codex, "gemini": read_gemini}
PROMPT = "=== HB-EXTRACT HANDOFF ===\n"
TAKEN = {
    "claude": Usage(1000, 200, 0.0125),
    "codex": Usage(1000, 200),
    "gemini": Usage(900, 125),
}


def said(program: str, mode: str) -> Reply:
    output, errors, _ = PROGRAMS[program](mode, PROMPT)
    return READ[program](output or errors)


@pytest.mark.parametrize(
    ("program", "mode"),
    [
        *(("claude", "good"), ("claude", "verbose"), ("claude", "warns")),
        *(("codex", "good"), ("codex", "old"), ("gemini", "good")),
    ],
)
def test_answer_and_tokens_are_read_from_the_documented_form(program: str, mode: str) -> None:
    reply = said(program, mode)

    assert (reply.problem, reply.is_refusal) == ("", False)
    assert reply.text.startswith("Let me look")
    assert "=== HB-EXTRACT HANDOFF ===" in reply.text
    assert reply.usage == TAKEN[program]


@pytest.mark.parametrize(
    ("program", "mode", "words"),
    [
        ("claude", "rate-limit", "Rate limit reached"),
        ("claude", "logged-out", "Please run /login"),
        ("claude", "turns", "error_max_turns"),
        ("claude", "old", "unknown option '--tools'"),
        ("codex", "rate-limit", "You've hit your usage limit"),
        ("codex", "cut", "came to no end"),
        ("gemini", "rate-limit", "exhausted your daily quota"),
        ("gemini", "logged-out", "Please set an Auth method"),
        ("gemini", "empty", "it answered nothing"),
    ],
)
def test_a_program_that_fails_says_why_in_its_own_words(program: str, mode: str, words: str) -> None:
    reply = said(program, mode)

    assert words in reply.problem
    assert (reply.text, reply.is_refusal) == ("", False)


def test_a_refusal_is_told_from_a_failure() -> None:
    assert said("claude", "refuses").is_refusal
    assert read_openai('{"choices": [{"message": {"content": null, "refusal": "I cannot help"}}]}').is_refusal
    assert read_openai('{"choices": [{"finish_reason": "content_filter", "message": {}}]}').is_refusal


def test_a_service_is_read_with_its_tokens_and_the_cost_that_some_tell() -> None:
    usage = {"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57}
    choices = [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}]

    assert read_openai(json.dumps({"choices": choices, "usage": usage})) == Reply("hello", Usage(50, 7))
    costly = json.dumps({"choices": choices, "usage": {**usage, "cost": 0.25}})
    assert read_openai(costly) == Reply("hello", Usage(50, 7, 0.25))
    assert read_openai(json.dumps({"choices": choices})) == Reply("hello", None)


def test_ollama_is_read_with_what_it_counted() -> None:
    answer = {"model": "qwen3", "message": {"role": "assistant", "content": "hello"}, "done": True}

    assert read_ollama(json.dumps({**answer, "prompt_eval_count": 40, "eval_count": 9})) == Reply("hello", Usage(40, 9))
    assert read_ollama(json.dumps(answer)) == Reply("hello", None)
    assert "not found" in read_ollama('{"error": "model \'qwen3\' not found"}').problem


@pytest.mark.parametrize("read", [*READ.values(), read_openai, read_ollama])
@pytest.mark.parametrize(
    "output",
    [
        *("", "\n\n", "Segmentation fault", "{", "[" * 50_000, "null", '"text"', "[1, 2]", "{}", '{"type": "result"}'),
        '{"choices": [], "message": 1, "response": 1, "result": 1, "usage": [], "stats": {"models": 3}}',
        '{"item": 1, "msg": 2, "type": "item.completed", "error": {}}',
        "\ufeff{}",
        "\0{}",
    ],
)
def test_whatever_is_printed_is_an_answer_or_a_problem(read: Callable[[str], Reply], output: str) -> None:
    reply = read(output)

    assert reply.problem
    assert reply.text == ""


@pytest.mark.parametrize("number", [-5, 1.5, True, "12", None, 10**30, [1]])
def test_what_is_no_number_of_tokens_counts_as_none(number: object) -> None:
    result = {"type": "result", "result": "x", "usage": {"input_tokens": number, "output_tokens": 3}}
    cost = {**result, "total_cost_usd": "much"}

    assert read_claude(json.dumps(cost)).usage == Usage(0, 3, 0.0)

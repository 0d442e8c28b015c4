#!/bin/sh
# Hands an event of Claude Code on to Engram. Where Engram is not installed, a session's start says how to install it.
if command -v engram >/dev/null 2>&1; then
  exec engram hooks run "$1" --host claude-code
fi
if [ "$1" = session-start ]; then
  printf '%s\n' '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "The plugin engram finds no engram command: nothing is remembered. When the user asks about memory, tell them to run: uv tool install engram-heartbeat, then: engram setup"}}'
fi
exit 0

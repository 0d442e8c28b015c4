"""The formats that can be imported, by the name that the command line gives them."""

from engram.importers.memories import basic_memory
from engram.importers.memories import chatgpt
from engram.importers.memories import engram_v2
from engram.importers.memories import markdown_notes
from engram.importers.memories import mcp_memory
from engram.importers.memories import mem0
from engram.importers.memories import openclaw_mem
from engram.importers.memories import teammates
from engram.importers.memories.items import Format

FORMATS: dict[str, Format] = {
    "engram-v2": engram_v2.FORMAT,
    "openclaw": markdown_notes.FORMAT,
    "openclaw-mem": openclaw_mem.FORMAT,
    "teammates": teammates.FORMAT,
    "mem0": mem0.FORMAT,
    "mcp-memory": mcp_memory.FORMAT,
    "basic-memory": basic_memory.FORMAT,
    "chatgpt": chatgpt.FORMAT,
}

"""The block that an agent loads at its start: `block` is asked for, everything else here is a part of it."""

"""What all steps share."""

from typing import Any

# A table of TOML or an object of JSON.
Object = dict[str, Any]


class Failure(Exception):
    """The packages cannot be made."""

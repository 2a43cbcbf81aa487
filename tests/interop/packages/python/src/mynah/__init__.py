"""Starts mynah."""

from importlib.metadata import distribution
from pathlib import Path


def own_binary() -> Path | None:
    """Returns the binary of the package, which pip installs as a command."""
    names = ("mynah", "mynah.exe")
    files = distribution("mynah-dapr").files or []
    found = [Path(str(file.locate())).resolve() for file in files if file.name in names]
    return next((path for path in found if path.is_file()), None)

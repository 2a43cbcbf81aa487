"""The archive with the binary, its licence, completions and manual pages."""

import tempfile
from pathlib import Path

from . import tarball
from .project import ROOT, Binary, Project
from .tarball import Entry

# The names under which shells look for the scripts.
COMPLETIONS = {
    "bash": "mynah.bash",
    "elvish": "mynah.elv",
    "fish": "mynah.fish",
    "powershell": "_mynah.ps1",
    "zsh": "_mynah",
}
DOCUMENTS = ("LICENSE", "README.md")


def make(project: Project, binary: Binary, out: Path) -> list[Path]:
    root = f"mynah-{project.version}-{binary.target}"
    entries = [Entry(f"{root}/{binary.name}", binary.path.read_bytes(), executable=True)]
    entries += [Entry(f"{root}/{name}", (ROOT / name).read_bytes()) for name in DOCUMENTS]
    for shell, name in COMPLETIONS.items():
        entries.append(Entry(f"{root}/completions/{name}", binary.run("completions", shell).encode()))
    entries += [Entry(f"{root}/man/{name}", page) for name, page in manual_pages(binary)]
    path = out / f"{root}.tar.gz"
    path.write_bytes(tarball.compress(tarball.tar(entries), project.compression))
    return [path]


def manual_pages(binary: Binary) -> list[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as folder:
        binary.run("man", "--dir", folder)
        return [(page.name, page.read_bytes()) for page in sorted(Path(folder).iterdir())]

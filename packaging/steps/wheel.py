"""The wheel: the Python package, with the binary as a script beside the interpreter.

The binary is in the wheel once. pip puts it where it puts the commands of packages, which is in PATH,
and the package finds it there by its own list of installed files.
"""

import base64
import hashlib
import re
import tomllib
import zipfile
from pathlib import Path

from .common import Failure, Object
from .project import ROOT, Binary, Project

# The first date that zip files can have.
DATE = (1980, 1, 1, 0, 0, 0)
OLDEST_GLIBC = (2, 17)


def make(project: Project, binary: Binary, out: Path) -> list[Path]:
    manifest_path = project.python / "pyproject.toml"
    package = tomllib.loads(manifest_path.read_text())["project"]
    project.check_version(package.get("version"), manifest_path)
    stem = f"{package['name'].replace('-', '_')}-{project.version}"
    tag = f"py3-none-{platform_tag(binary)}"
    info = f"{stem}.dist-info"
    sources = package_files(project.python / "src")
    check_versions(project, sources)
    files = sources | {
        f"{info}/METADATA": metadata(project, package).encode(),
        f"{info}/WHEEL": wheel_file(tag).encode(),
        f"{info}/entry_points.txt": entry_points(package).encode(),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    script = f"{stem}.data/scripts/{binary.name}"
    files[script] = binary.path.read_bytes()
    path = out / f"{stem}-{tag}.whl"
    write(path, files, {script}, f"{info}/RECORD", project.compression)
    return [path]


def platform_tag(binary: Binary) -> str:
    """Returns the platforms on which pip installs the wheel."""
    if not binary.elf:
        return binary.platform.wheel
    arch = binary.platform.wheel
    major, minor = max(binary.elf.glibc or OLDEST_GLIBC, OLDEST_GLIBC)
    tag = f"manylinux_{major}_{minor}_{arch}"
    return tag if binary.elf.interpreter else f"{tag}.musllinux_1_1_{arch}"


def package_files(source: Path) -> dict[str, bytes]:
    files = [file for file in sorted(source.rglob("*")) if file.is_file() and "__pycache__" not in file.parts]
    if not files:
        raise Failure(f"{source}: no files; expected the Python package")
    return {file.relative_to(source).as_posix(): file.read_bytes() for file in files}


def check_versions(project: Project, sources: dict[str, bytes]) -> None:
    for name, text in sources.items():
        for version in re.findall(rb"""^__version__ = ["'](.*)["']""", text, re.MULTILINE):
            project.check_version(version.decode(), project.python / "src" / name)


def metadata(project: Project, package: Object) -> str:
    """Returns the core metadata, version 2.4."""
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", package["name"]),
        ("Version", project.version),
        ("Summary", package.get("description", project.description)),
        ("License-Expression", project.license),
        ("License-File", "LICENSE"),
        ("Requires-Python", package["requires-python"]),
        *(("Keywords", ",".join(words)) for words in [package.get("keywords", [])] if words),
        # PyPI rejects classifiers of licences beside an expression.
        *(("Classifier", value) for value in package.get("classifiers", []) if not value.startswith("License ::")),
        *(("Project-URL", f"{name}, {url}") for name, url in package.get("urls", {}).items()),
        *(("Requires-Dist", requirement) for requirement in package.get("dependencies", [])),
        *extras(package),
        ("Description-Content-Type", "text/markdown"),
    ]
    readme = project.python / package.get("readme", "README.md")
    text = readme.read_text() if readme.exists() else f"{project.description}.\n"
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + text


def extras(package: Object) -> list[tuple[str, str]]:
    fields = []
    for extra, requirements in package.get("optional-dependencies", {}).items():
        fields.append(("Provides-Extra", extra))
        for requirement in requirements:
            name, _, marker = requirement.partition(";")
            marker = f"({marker.strip()}) and " if marker else ""
            fields.append(("Requires-Dist", f'{name.strip()}; {marker}extra == "{extra}"'))
    return fields


def wheel_file(tag: str) -> str:
    python, abi, platforms = tag.split("-")
    tags = "".join(f"Tag: {python}-{abi}-{platform}\n" for platform in platforms.split("."))
    return f"Wheel-Version: 1.0\nGenerator: mynah\nRoot-Is-Purelib: false\n{tags}"


def entry_points(package: Object) -> str:
    groups = dict(package.get("entry-points", {}))
    if scripts := package.get("scripts"):
        if "mynah" in scripts:
            raise Failure("pyproject.toml: the script `mynah` would replace the binary; remove it")
        groups["console_scripts"] = scripts
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items()), ""]
    return "\n".join(lines)


def write(path: Path, files: dict[str, bytes], executable: set[str], record: str, level: int) -> None:
    """Writes the files in the order of their names, and the list of them last."""
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as wheel:
        for name, data in sorted(files.items()):
            add(wheel, name, data, 0o755 if name in executable else 0o644)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        add(wheel, record, "".join([*lines, f"{record},,\n"]).encode(), 0o644)


def add(wheel: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name, DATE)
    entry.external_attr = (0o100000 | mode) << 16
    entry.create_system = 3
    wheel.writestr(entry, data, wheel.compression, wheel.compresslevel)

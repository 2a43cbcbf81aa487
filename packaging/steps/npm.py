"""The npm packages: the JavaScript package, and one with the binary for each platform."""

import json
from pathlib import Path

from . import tarball
from .common import Failure, Object
from .project import ROOT, Binary, Project
from .tarball import Entry


def make(project: Project, binary: Binary, out: Path) -> list[Path]:
    manifest_path = project.js / "package.json"
    manifest = json.loads(manifest_path.read_text())
    project.check_version(manifest.get("version"), manifest_path)
    platform = platform_package(manifest, binary)
    project.check_version(manifest["optionalDependencies"][platform], manifest_path)
    return [
        pack(project, out, manifest, javascript_files(project.js, manifest)),
        pack(project, out, platform_manifest(project, platform, binary), binary_files(platform, binary)),
    ]


def platform_package(manifest: Object, binary: Binary) -> str:
    """Returns the optional dependency for the platform of the binary."""
    suffix = "/" + binary.platform.npm
    names: list[str] = [name for name in manifest.get("optionalDependencies", {}) if name.endswith(suffix)]
    if len(names) != 1:
        raise Failure(f"package.json: expected one optional dependency that ends with {suffix}; found {names}")
    return names[0]


def javascript_files(folder: Path, manifest: Object) -> list[Entry]:
    """Returns what `files` in package.json lists, and the files that npm always packs."""
    commands = manifest.get("bin", {})
    commands = {Path(path) for path in (commands.values() if isinstance(commands, dict) else [commands])}
    paths = {path for name in manifest["files"] for path in listed(folder, name)}
    paths |= {folder / path for path in commands} | set(folder.glob("README.md"))
    entries = [
        Entry(f"package/{path.relative_to(folder).as_posix()}", path.read_bytes(), path.relative_to(folder) in commands)
        for path in paths - {folder / "LICENSE"}
    ]
    return [*entries, licence()]


def listed(folder: Path, name: str) -> list[Path]:
    found = [path for match in folder.glob(name) for path in [match, *match.rglob("*")] if path.is_file()]
    if not found:
        raise Failure(f"{folder}/package.json: `files` lists {name}, which does not exist; build the package first")
    return found


def licence() -> Entry:
    return Entry("package/LICENSE", (ROOT / "LICENSE").read_bytes())


def platform_manifest(project: Project, name: str, binary: Binary) -> Object:
    system, cpu = binary.platform.npm.split("-")
    manifest = {
        "name": name,
        "version": project.version,
        "description": f"mynah for {binary.platform.npm}",
        "license": project.license,
        "os": [system],
        "cpu": [cpu],
        "files": ["bin"],
        "preferUnplugged": True,
    }
    # The binary is linked to glibc, unless it is static.
    if binary.elf and binary.elf.interpreter:
        manifest["libc"] = ["glibc"]
    return manifest


def binary_files(name: str, binary: Binary) -> list[Entry]:
    readme = f"# {name}\n\nThe binary of mynah for one platform. Install `mynah-dapr`, which selects it.\n"
    return [
        Entry(f"package/bin/{binary.name}", binary.path.read_bytes(), executable=True),
        Entry("package/README.md", readme.encode()),
        licence(),
    ]


def pack(project: Project, out: Path, manifest: Object, files: list[Entry]) -> Path:
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    path = out / f"{manifest['name'].lstrip('@').replace('/', '-')}-{manifest['version']}.tgz"
    archive = tarball.tar([Entry("package/package.json", text.encode()), *files])
    path.write_bytes(tarball.compress(archive, project.compression))
    return path

"""The release build, without the paths of the machine that builds it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .common import Failure
from .project import ROOT, Project

MAX_BINARY = 20_000_000
MAX_WHEEL = 10_000_000
# Less inlining keeps the program and the wheel below their limits. With smaller.toml, a short call takes
# about a quarter more instructions than in the release profile.
SMALLER = ["-C", "llvm-args=--inline-threshold=25"]
# The oldest glibc for which cargo-zigbuild links.
GLIBC = "2.17"


def build(project: Project, target: str | None) -> Path:
    """Builds the program and returns its path."""
    target = target or host()
    zig = shutil.which("cargo-zigbuild") and target.endswith("-linux-gnu")
    command = ["cargo", "zigbuild" if zig else "build", "--locked", "--release", "--package=mynah", "--bin=mynah"]
    command += ["--target", f"{target}.{GLIBC}" if zig else target]
    command += ["--config", str(ROOT / "packaging" / "smaller.toml")]
    environment = os.environ | {
        "CARGO_INCREMENTAL": "0",
        "CARGO_TARGET_DIR": str(project.target_folder),
        # Cargo separates these flags by the unit separator.
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags(project)),
    }
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        raise Failure(f"{' '.join(command)} failed")
    name = "mynah.exe" if "windows" in target else "mynah"
    path = project.target_folder / target / "release" / name
    check_paths(project, path)
    return path


def host() -> str:
    version = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return version.split("host: ")[1].split()[0]


def machine_paths(project: Project) -> dict[str, str]:
    """Returns the folders whose paths the compiler would put into panic messages, and their new names."""
    home = Path.home()
    toolchains = Path(os.environ.get("RUSTUP_HOME") or home / ".rustup")
    cargo = Path(os.environ.get("CARGO_HOME") or home / ".cargo")
    sysroot = subprocess.run(["rustc", "--print=sysroot"], capture_output=True, text=True, check=True, cwd=ROOT)
    folders = {home: "home", toolchains: "rustup", cargo: "cargo", Path(sysroot.stdout.strip()): "rust"}
    folders |= {ROOT: "mynah", project.target_folder: "target"}
    return {str(folder): name for folder, name in folders.items() if folder != Path(folder.anchor)}


def flags(project: Project) -> list[str]:
    """If several prefixes match, rustc uses the last one."""
    paths = machine_paths(project).items()
    given = os.environ.get("RUSTFLAGS", "").split()
    remapped = [f"--remap-path-prefix={folder}=/{name}" for folder, name in paths]
    return [*given, *remapped, *SMALLER]


def check_paths(project: Project, path: Path) -> None:
    """Fails if the binary contains a path of this machine."""
    data = path.read_bytes()
    for folder in machine_paths(project):
        found = re.findall(re.escape(folder.encode()) + rb"[/\\\\][\x20-\x7e]*", data)
        if found:
            raise Failure(f"{path} contains {len(found)} paths of this machine, such as {found[0].decode()}")


def check_sizes(binary: Path, files: list[Path]) -> None:
    limits = [(binary, MAX_BINARY), *((file, MAX_WHEEL) for file in files if file.suffix == ".whl")]
    for file, limit in limits:
        size = file.stat().st_size
        if size > limit:
            raise Failure(f"{file} has {size:,} bytes; expected at most {limit:,}")

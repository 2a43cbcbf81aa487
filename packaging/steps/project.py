"""The project and the binary that is packed."""

import argparse
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .common import Failure
from .elf import Elf

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Platform:
    """The names of a target in the registries."""

    wheel: str
    npm: str


PLATFORMS = {
    "x86_64-unknown-linux-gnu": Platform("x86_64", "linux-x64"),
    "aarch64-unknown-linux-gnu": Platform("aarch64", "linux-arm64"),
    "x86_64-apple-darwin": Platform("macosx_10_12_x86_64", "darwin-x64"),
    "aarch64-apple-darwin": Platform("macosx_11_0_arm64", "darwin-arm64"),
    "x86_64-pc-windows-msvc": Platform("win_amd64", "win32-x64"),
}


@dataclass(frozen=True)
class Project:
    """The sources that are packed with the binary."""

    version: str
    description: str
    license: str
    python: Path
    js: Path
    image_binary: Path | None
    target_folder: Path
    # The level of zlib.
    compression: int

    @classmethod
    def read(cls, options: argparse.Namespace) -> "Project":
        manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
        shared = manifest["workspace"]["package"]
        target = Path(os.environ.get("CARGO_TARGET_DIR") or "target")
        return cls(
            version=shared["version"],
            description=manifest["package"]["description"],
            license=shared["license"],
            python=options.python or ROOT / "python",
            js=ROOT / "js",
            image_binary=options.image_binary,
            target_folder=ROOT / target,
            compression=1 if options.fast else 9,
        )

    def check_version(self, version: str | None, file: Path) -> None:
        """Fails if a package has another version than Cargo.toml."""
        if version != self.version:
            raise Failure(f"{file}: the version is {version}; expected {self.version}, as in Cargo.toml")


@dataclass(frozen=True)
class Binary:
    """The program that all packages contain."""

    path: Path
    target: str
    elf: Elf | None

    @classmethod
    def inspect(cls, path: Path, target: str | None, project: Project) -> "Binary":
        """Reads the binary and checks its version."""
        elf = Elf.read(path)
        target = target or (f"{elf.machine}-unknown-linux-gnu" if elf else None)
        if target not in PLATFORMS:
            raise Failure(f"{path}: unknown target {target}; expected --target with one of: {', '.join(PLATFORMS)}")
        binary = cls(path.resolve(), target, elf)
        version = binary.run("--version").strip()
        project.check_version(version.removeprefix("mynah "), path)
        return binary

    @property
    def platform(self) -> Platform:
        return PLATFORMS[self.target]

    @property
    def name(self) -> str:
        return "mynah.exe" if "windows" in self.target else "mynah"

    @property
    def needs(self) -> str:
        """Says which glibc the binary needs."""
        if self.elf and not self.elf.interpreter:
            return "static"
        if self.elf and self.elf.glibc:
            return "needs GLIBC_{}.{}".format(*self.elf.glibc)
        return "needs no glibc"

    def run(self, *arguments: str) -> str:
        """Returns what the program prints."""
        result = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise Failure(f"{self.path} {' '.join(arguments)} failed: {result.stderr.strip()}")
        return result.stdout

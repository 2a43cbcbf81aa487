"""Reads what a Linux binary needs from the machine that runs it."""

import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .common import Failure

MACHINES = {62: "x86_64", 183: "aarch64"}
INTERPRETER = 3
# 64-bit ELF files start with these bytes.
MAGIC = b"\x7fELF\x02"


@dataclass(frozen=True)
class Elf:
    """A 64-bit ELF file."""

    machine: str
    # The path of the dynamic loader; a static binary has none.
    interpreter: str | None
    # The newest version of glibc that a symbol needs, such as (2, 34).
    glibc: tuple[int, int] | None

    @classmethod
    def read(cls, path: Path) -> "Elf | None":
        """Returns `None` if the file has another format."""
        data = path.read_bytes()
        if not data.startswith(MAGIC):
            return None
        (machine,) = struct.unpack_from("<H", data, 18)
        if machine not in MACHINES:
            raise Failure(f"{path}: unsupported machine {machine}; expected x86_64 or aarch64")
        interpreter = _interpreter(data)
        return cls(MACHINES[machine], interpreter, _glibc(data) if interpreter else None)

    def libraries(self, path: Path) -> list[Path]:
        """Returns the paths at which the loader finds the shared libraries."""
        if not self.interpreter:
            return []
        listing = subprocess.run([self.interpreter, "--list", path], capture_output=True, text=True, check=False)
        if listing.returncode != 0:
            raise Failure(f"cannot list the libraries of {path}: {listing.stderr.strip()}")
        found = re.findall(r"^\s*\S+\.so\S* => (/\S+)", listing.stdout, re.MULTILINE)
        return [Path(file) for file in found if file != self.interpreter]


def _interpreter(data: bytes) -> str | None:
    (headers,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for start in range(headers, headers + size * count, size):
        if struct.unpack_from("<I", data, start)[0] == INTERPRETER:
            offset, _, _, length = struct.unpack_from("<QQQQ", data, start + 8)
            return data[offset : offset + length].rstrip(b"\0").decode()
    return None


def _glibc(data: bytes) -> tuple[int, int] | None:
    """The versions are the names of the symbols' versions, in `.dynstr`."""
    found = re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?=[.\0])", _dynamic_strings(data))
    return max(((int(major), int(minor)) for major, minor in found), default=None)


def _dynamic_strings(data: bytes) -> bytes:
    (headers,) = struct.unpack_from("<Q", data, 40)
    size, count, _ = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQI", data, headers + size * number) for number in range(count)]
    dynamic_symbols, string_table = 11, 3
    for section in sections:
        if section[1] == dynamic_symbols:
            strings = sections[section[6]]
            if strings[1] == string_table:
                return data[strings[4] : strings[4] + strings[5]]
    return b""

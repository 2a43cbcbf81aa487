"""Archives with the same bytes on every machine: fixed times, owners and permissions."""

import gzip
import io
import tarfile
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A file, or a link if `link` is set, or a folder if the name ends with a slash."""

    name: str
    data: bytes = b""
    executable: bool = False
    link: str | None = None
    # The permissions, if they are not the usual ones.
    mode: int | None = None

    def header(self) -> tarfile.TarInfo:
        info = tarfile.TarInfo(self.name.rstrip("/"))
        info.mode = 0o755 if self.executable else 0o644
        if self.link is not None:
            info.type, info.linkname, info.mode = tarfile.SYMTYPE, self.link, 0o777
        elif self.name.endswith("/"):
            info.type, info.mode = tarfile.DIRTYPE, 0o755
        else:
            info.size = len(self.data)
        if self.mode is not None:
            info.mode = self.mode
        return info


def tar(entries: list[Entry]) -> bytes:
    """Returns an archive without compression, in the order of the names."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for entry in sorted(entries, key=lambda entry: entry.name):
            archive.addfile(entry.header(), io.BytesIO(entry.data))
    return buffer.getvalue()


def compress(data: bytes, level: int) -> bytes:
    return gzip.compress(data, compresslevel=level, mtime=0)

"""The container image, as an archive of an OCI image layout.

The image has one layer. It contains the binary, and the loader and the libraries that the binary needs
unless it is static.
"""

import hashlib
import json
from pathlib import Path

from . import tarball
from .common import Failure, Object
from .elf import Elf
from .project import Binary, Project
from .tarball import Entry

# Name resolution reads /etc/hosts first, as in other images. Without the file, glibc asks DNS first.
NAME_SERVICES = b"hosts: files dns\n"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
TYPES = "application/vnd.oci.image"


def make(project: Project, binary: Binary, out: Path) -> list[Path]:
    path = project.image_binary or binary.path
    elf = Elf.read(path)
    if not elf:
        print("no image: the binary is not for Linux")
        return []
    layer = tarball.tar(layer_entries(path, elf))
    blobs = Blobs()
    layer_blob = blobs.add(f"{TYPES}.layer.v1.tar+gzip", tarball.compress(layer, project.compression))
    config = blobs.add_json(f"{TYPES}.config.v1+json", configuration(project, elf, layer))
    media_type = f"{TYPES}.manifest.v1+json"
    manifest = {
        "schemaVersion": 2,
        "mediaType": media_type,
        "config": config,
        "layers": [layer_blob],
    }
    image = blobs.add_json(media_type, manifest)
    image["annotations"] = {
        "io.containerd.image.name": f"docker.io/library/mynah:{project.version}",
        "org.opencontainers.image.ref.name": project.version,
    }
    index = {"schemaVersion": 2, "mediaType": f"{TYPES}.index.v1+json", "manifests": [image]}
    entries = [
        Entry("oci-layout", encode({"imageLayoutVersion": "1.0.0"})),
        Entry("index.json", encode(index)),
        *(Entry(f"blobs/sha256/{digest}", data) for digest, data in blobs.data.items()),
    ]
    archive = out / f"mynah-{project.version}.oci.tar"
    archive.write_bytes(tarball.tar(entries))
    return [archive]


def layer_entries(path: Path, elf: Elf) -> list[Entry]:
    entries = [
        Entry("mynah", path.read_bytes(), executable=True),
        # Dapr's modules for Testcontainers run the program of daprd's image.
        Entry("daprd", link="mynah"),
        Entry("etc/"),
        Entry("etc/nsswitch.conf", NAME_SERVICES),
        Entry("tmp/", mode=0o1777),
    ]
    if not elf.interpreter:
        return entries
    loader = Path(elf.interpreter)
    if not loader.exists():
        raise Failure(f"{path} needs {loader}, which is not on this machine; give a static --image-binary")
    files = [loader, *elf.libraries(path)]
    entries += [Entry(f"{folder}/") for folder in sorted({name.parent.as_posix()[1:] for name in files})]
    return entries + [Entry(file.as_posix()[1:], file.read_bytes(), executable=True) for file in files]


def configuration(project: Project, elf: Elf, layer: bytes) -> Object:
    return {
        "architecture": ARCHITECTURES[elf.machine],
        "os": "linux",
        "config": {
            "Entrypoint": ["/mynah"],
            # Nobody outside of the container could reach its loopback addresses.
            "Env": ["MYNAH_LISTEN_ADDRESSES=0.0.0.0"],
            # The user of daprd's image.
            "User": "65532:65532",
            "WorkingDir": "/",
            "ExposedPorts": {"3500/tcp": {}, "9090/tcp": {}, "50001/tcp": {}},
            "Labels": {
                "org.opencontainers.image.title": "mynah",
                "org.opencontainers.image.description": project.description,
                "org.opencontainers.image.licenses": project.license,
                "org.opencontainers.image.version": project.version,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created_by": "packaging/build"}],
    }


class Blobs:
    """The contents of the image by digest."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    def add(self, media_type: str, data: bytes) -> Object:
        digest = hashlib.sha256(data).hexdigest()
        self.data[digest] = data
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}

    def add_json(self, media_type: str, value: Object) -> Object:
        return self.add(media_type, encode(value))


def encode(value: Object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

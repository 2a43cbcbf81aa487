"""The bill of materials: the crates that are linked into the binary, in CycloneDX's JSON."""

import json
import subprocess
import tomllib
import uuid
from pathlib import Path

from .common import Failure, Object
from .project import ROOT, Binary, Project


def make(project: Project, binary: Binary, out: Path) -> list[Path]:
    resolved = cargo_metadata(binary.target)
    packages = {package["id"]: package for package in resolved["packages"]}
    edges = linked(resolved, packages)
    root = next(key for key in edges if packages[key]["name"] == "mynah")
    lock = (ROOT / "Cargo.lock").read_bytes()
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, f"{binary.target} {lock.decode()}").urn,
        "version": 1,
        "metadata": {"component": component(packages[root], {}) | {"type": "application"}},
        "components": [component(packages[key], checksums(lock)) for key in sorted(edges) if key != root],
        "dependencies": [
            {"ref": reference(packages[key]), "dependsOn": sorted(reference(packages[other]) for other in edges[key])}
            for key in sorted(edges)
        ],
    }
    path = out / f"mynah-{project.version}.sbom.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    return [path]


def cargo_metadata(target: str) -> Object:
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={target}"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Failure(f"cargo metadata failed: {result.stderr.strip()}")
    resolved: Object = json.loads(result.stdout)
    return resolved


def linked(resolved: Object, packages: Object) -> dict[str, list[str]]:
    """Returns the normal dependencies of mynah and of what it depends on. Macros only run in the compiler."""
    nodes = {node["id"]: node for node in resolved["resolve"]["nodes"]}
    edges: dict[str, list[str]] = {}
    left = [key for key in resolved["workspace_members"] if packages[key]["name"] == "mynah"]
    while left:
        key = left.pop()
        if key not in edges:
            normal = [edge["pkg"] for edge in nodes[key]["deps"] if is_normal(edge)]
            edges[key] = [other for other in normal if not is_macro(packages[other])]
            left += edges[key]
    return edges


def is_normal(edge: Object) -> bool:
    """Returns `False` for dependencies of tests and build scripts only."""
    return any(kind["kind"] is None for kind in edge["dep_kinds"])


def is_macro(package: Object) -> bool:
    return any("proc-macro" in target["kind"] for target in package["targets"])


def checksums(lock: bytes) -> dict[tuple[str, str], str]:
    packages = tomllib.loads(lock.decode())["package"]
    return {(package["name"], package["version"]): package["checksum"] for package in packages if "checksum" in package}


def reference(package: Object) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package: Object, sums: dict[tuple[str, str], str]) -> Object:
    entry = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package["license"]:
        # Old manifests separate alternatives by a slash.
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := sums.get((package["name"], package["version"])):
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return entry

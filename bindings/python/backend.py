"""Builds the package (PEP 517) with a C compiler and nothing else, so that no network is needed.

python3 backend.py install DESTDIR PREFIX puts it where a distribution has Python's modules."""
import base64
import glob
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

HERE = Path(__file__).resolve().parent
FIELDS = dict(re.findall(r'^([\w-]+) = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.M))
VERSION = FIELDS["version"]
NAME = f"atmost-{VERSION}"
SOURCES = ("LICENSE", "README.md", "backend.py", "pyproject.toml", "native/*.[ch]", "src/atmost/*",
           "tests/*.py", "tests/conformance.json")


def pkg_config(what: str) -> List[str]:
    program = os.environ.get("PKG_CONFIG", "pkg-config")
    return shlex.split(subprocess.check_output([program, what, "atmost"], text=True))


def variable(name: str) -> List[str]:
    """What Python was built with, or what the environment says in its place."""
    return shlex.split(os.environ.get(name) or sysconfig.get_config_var(name) or "")


def compiled(folder: Path) -> Path:
    module = folder / ("_atmost" + sysconfig.get_config_var("EXT_SUFFIX"))
    include = sysconfig.get_path("include")
    subprocess.check_call([*variable("CC"), "-shared", "-fPIC", *variable("CFLAGS"), "-std=c11", "-Wall",
                           "-Wextra", "-fvisibility=hidden", f"-I{include}", *pkg_config("--cflags"),
                           *sorted(glob.glob(f"{HERE}/native/*.c")), *shlex.split(os.environ.get("LDFLAGS", "")),
                           *pkg_config("--libs"), "-o", str(module)])
    return module


def metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: {FIELDS['name']}\nVersion: {VERSION}\nSummary: "
            f"{FIELDS['description']}\nRequires-Python: {FIELDS['requires-python']}\n"
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text())


def files(folder: Path) -> Iterator[Tuple[str, bytes]]:
    """Those that are installed, the module compiled in `folder`."""
    info = f"{NAME}.dist-info"
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    for file in sorted((HERE / "src/atmost").iterdir()):
        if file.is_file():
            yield f"atmost/{file.name}", file.read_bytes()
    module = compiled(folder)
    yield f"atmost/{module.name}", module.read_bytes()
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: atmost\nRoot-Is-Purelib: false\n"
                            f"Tag: {tag}-{tag}-{platform}\n").encode()


def record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    made: Dict[str, bytes] = dict(files(Path(wheel_directory)))
    compiled_at = Path(wheel_directory) / ("_atmost" + sysconfig.get_config_var("EXT_SUFFIX"))
    compiled_at.unlink()
    list_name = f"{NAME}.dist-info/RECORD"
    lines = "".join(record(*one) for one in made.items()) + f"{list_name},,\n"
    tag = made[f"{NAME}.dist-info/WHEEL"].decode().rsplit(" ", 1)[1].strip()
    wheel = f"{NAME}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**made, list_name: lines.encode()}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    with tarfile.open(Path(sdist_directory) / f"{NAME}.tar.gz", "w:gz", dereference=True) as archive:
        for pattern in SOURCES:
            for file in sorted(HERE.glob(pattern)):
                if file.is_file():
                    archive.add(file, f"{NAME}/{file.relative_to(HERE)}")
    return f"{NAME}.tar.gz"


def install(destdir: str, prefix: str) -> None:
    """For every Python 3 of this machine that shares /usr/lib/python3, as Debian has them."""
    to = Path(destdir + prefix) / "lib/python3/dist-packages"
    to.mkdir(parents=True, exist_ok=True)
    for name, content in files(to):
        if name.endswith("/WHEEL"):
            continue
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_bytes(content)
    for left in to.glob("_atmost*"):
        left.unlink()


if __name__ == "__main__":
    {"install": install}[sys.argv[1]](*sys.argv[2:])

"""What pip builds a wheel with (PEP 517), in the standard library alone: CMake builds into build/, as scripts/build.sh
does, so a tree that is built is not compiled again. The wheel is the installation of cmake/Install.cmake: programs in
bin/, claims and certificates in share/sinkproof, the module beside other modules.

pip calls build_wheel in the folder of pyproject.toml. What CMake or the compiler says goes to stderr; where either
fails, so does the wheel, with its exit code.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
VERSION = re.search(r"set\(SINKPROOF_VERSION ([0-9.]+)\)", (SOURCE / "cmake" / "Version.cmake").read_text())[1]
NAME = f"{PROJECT['name']}-{VERSION}"
# Debian's folder of modules in a prefix, from where the wheel takes them (python/CMakeLists.txt).
MODULES = Path("lib/python3/dist-packages")
RECHECK = "share/sinkproof/tools/recheck"
# pip puts the path of its interpreter into the first line.
RECHECK_SCRIPT = f"""#!python
import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).resolve().parent.parent / "{RECHECK}"), run_name="__main__")
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel into a folder; returns its file name."""
    with tempfile.TemporaryDirectory(prefix="sinkproof-wheel-") as folder:
        stage = Path(folder)
        _install(stage)
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        file = f"{NAME}-{tag}.whl"
        _write(Path(wheel_directory) / file, {**_installed(stage), **_metadata(tag)})
    return file


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the wheel's METADATA, without a build; returns the folder's name."""
    folder = Path(metadata_directory) / f"{NAME}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_bytes(_metadata("")[f"{NAME}.dist-info/METADATA"][0])
    return folder.name


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("a source distribution of sinkproof is its repository: git archive HEAD")


class UnsupportedOperation(Exception):
    """PEP 517's name for what a backend does not do."""


def _run(*command):
    done = subprocess.run([str(word) for word in command], cwd=SOURCE, stdout=sys.stderr)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed with exit code {done.returncode}. "
                 "scripts/setup.sh installs what the build needs on Debian 12")


def _install(stage):
    if not shutil.which("cmake"):
        sys.exit("cmake is not installed. scripts/setup.sh installs what the build needs on Debian 12")
    _run("cmake", "--preset", "release", *_interpreter())
    _run("cmake", "--build", "--preset", "release", "--target", "distribution")
    for component in ("programs", "python"):
        _run("cmake", "--install", "build", "--component", component, "--prefix", stage, "--strip")


def _interpreter():
    """The option that names the interpreter which builds, without its virtual environment; none where build/ has it."""
    own = os.path.realpath(sys._base_executable)
    cache = SOURCE / "build" / "CMakeCache.txt"
    known = re.search(r"^Python_EXECUTABLE:[A-Z]+=(.*)$", cache.read_text(), re.MULTILINE) if cache.exists() else None
    return [] if known and os.path.realpath(known[1]) == own else [f"-DPython_EXECUTABLE={own}"]


def _installed(stage):
    """{name in the wheel: (bytes, may it be run)} of everything in an installation."""
    data, found = f"{NAME}.data", {}
    for path in sorted(stage.rglob("*")):
        place = path.relative_to(stage)
        if place == Path("bin/sinkproof-recheck"):  # a link to a script, which no wheel holds
            found[f"{data}/scripts/{path.name}"] = RECHECK_SCRIPT.encode(), True
        elif not path.is_file():
            continue
        else:
            if place.is_relative_to(MODULES):
                name = str(place.relative_to(MODULES))
            elif place.parts[0] == "bin":
                name = f"{data}/scripts/{path.name}"
            else:
                name = f"{data}/data/{place}"
            found[name] = path.read_bytes(), os.access(path, os.X_OK)
    return found


def _metadata(tag):
    folder = f"{NAME}.dist-info"
    metadata = [
        "Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {VERSION}", f"Summary: {PROJECT['description']}",
        f"License: {PROJECT['license']['text']}", f"Requires-Python: {PROJECT['requires-python']}",
        *(f"Requires-Dist: {each}" for each in PROJECT["dependencies"]), "Description-Content-Type: text/markdown", "",
        (SOURCE / PROJECT["readme"]).read_text()]
    wheel = ["Wheel-Version: 1.0", "Generator: sinkproof packaging/build_wheel.py", "Root-Is-Purelib: false", f"Tag: {tag}", ""]
    return {f"{folder}/METADATA": ("\n".join(metadata).encode(), False), f"{folder}/WHEEL": ("\n".join(wheel).encode(), False),
            f"{folder}/LICENSE": ((SOURCE / "LICENSE").read_bytes(), False)}


def _write(path, files):
    """The same files give the same wheel: no time, no order of the disk."""
    record = f"{NAME}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data, is_program):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(entry, data)

        for name, (data, is_program) in files.items():
            add(name, data, is_program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        add(record, "".join([*lines, f"{record},,\n"]).encode(), False)

# SPDX-License-Identifier: MIT
"""The version and the number of the ABI: each is in one place, and these files repeat it."""

import re
from pathlib import Path

PROJECT = Path("CMakeLists.txt")
API = Path("include/furwock/bits/api.h")

# Where the version is said again, each time in a group of its own; a file that is not there is
# left out.  X.Y.Z, except what has a number for each part.
VERSION = r"(\d+\.\d+\.\d+)"
PLACES = (
    ("CMakeLists.txt", rf"^project\(furwock VERSION {VERSION} "),
    ("include/furwock/version.h", rf'^#define FURWOCK_VERSION_STRING "{VERSION}"'),
    ("bindings/python/pyproject.toml", rf'^version = "{VERSION}"'),
    ("bindings/rust/Cargo.toml", rf'^version = "{VERSION}"'),
    ("bindings/rust/Cargo.toml", rf'^furwock(?:-sys)? = .*version = "{VERSION}"'),
    ("bindings/rust/benches/Cargo.toml", rf'^version = "{VERSION}"'),
    ("bindings/rust/runtimes/Cargo.toml", rf'^version = "{VERSION}"'),
    ("bindings/rust/Cargo.lock", rf'^name = "furwock[\w-]*"\nversion = "{VERSION}"'),
    ("bindings/rust/benches/Cargo.lock", rf'^name = "furwock[\w-]*"\nversion = "{VERSION}"'),
    ("bindings/rust/runtimes/Cargo.lock", rf'^name = "furwock[\w-]*"\nversion = "{VERSION}"'),
    ("meson.build", rf"^project\('furwock'(?:[^()]|\n)*?version: *'{VERSION}'"),
    ("packaging/meson/packagefiles/furwock/meson.build",
     rf"^project\('furwock'(?:[^()]|\n)*?version: *'{VERSION}'"),
    ("packaging/vcpkg/furwock/vcpkg.json", rf'^ *"version": "{VERSION}"'),
    ("packaging/conan/conanfile.py", rf'^ *version = "{VERSION}"'),
    ("packaging/arch/PKGBUILD", rf"^pkgver={VERSION}"),
    ("packaging/alpine/APKBUILD", rf"^pkgver={VERSION}"),
    ("packaging/rpm/furwock.spec", rf"^Version: *{VERSION}"),
    ("CHANGELOG.md", rf"^## \[{VERSION}\](?s:.*)"),
)
PARTS = Path("include/furwock/version.h")
PART = r"^#define FURWOCK_VERSION_{} (\d+)$"

# And the ABI's number: in the names and the version of what callers have compiled in.
ABI = r"^#define FURWOCK_ABI (\d+)$"
ABI_NAMES = (("src/furwock.map", r"_abi(\d+)_;"),
             ("src/furwock.map", r"^FURWOCK_ABI_(\d+) \{"),
             ("posix/export/x86_64/versions.map", r"^FURWOCK_ABI_(\d+) \{"),
             ("posix/export/aarch64/versions.map", r"^FURWOCK_ABI_(\d+) \{"),
             ("bindings/rust/furwock-sys/src/thread.rs", r'link_name = "\w+_abi(\d+)_"'),
             ("bindings/rust/furwock-sys/src/ipc/objects.rs", r'link_name = "\w+_abi(\d+)_"'))


def said(tree, path, pattern):
    """Each time that the pattern is found: the line, and what its group has."""
    if Path(path) not in tree.known:
        return
    text = tree.text(Path(path))
    for match in re.finditer(pattern, text, re.MULTILINE):
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1)


def only(tree, path, pattern):
    return next((found for _, found in said(tree, path, pattern)), None)


def check_versions(tree):
    """the version is the same wherever it is written, and so is the number of the ABI"""
    version = only(tree, *PLACES[0])
    if version is None:
        return
    for path, pattern in PLACES:
        for line, found in said(tree, path, pattern):
            if found != version:
                tree.find(path, line, f"version {found}, and {PROJECT} has {version}: "
                                      "tools/version --set does it everywhere")
    for name, part in zip(("MAJOR", "MINOR", "PATCH"), version.split(".")):
        for line, found in said(tree, PARTS, PART.format(name)):
            if found != part:
                tree.find(PARTS, line, f"{found}, and {PROJECT} has {version}: "
                                       "tools/version --set does it everywhere")
    abi = only(tree, API, ABI)
    for path, pattern in ABI_NAMES:
        for line, found in said(tree, path, pattern):
            if found != abi:
                tree.find(path, line, f"ABI {found}, and {API} has {abi}: tools/version --abi "
                                      "does it everywhere")


def rewrite(root, path, pattern, value):
    """Puts the value wherever the pattern's group is."""
    if not (root / path).is_file():
        return
    text = (root / path).read_text(encoding="utf-8")
    for match in reversed(list(re.finditer(pattern, text, re.MULTILINE))):
        text = text[:match.start(1)] + value + text[match.end(1):]
    (root / path).write_text(text, encoding="utf-8")


def set_version(root, version):
    for path, pattern in PLACES:
        if path != "CHANGELOG.md":  # which has all of them
            rewrite(root, path, pattern, version)
    for name, part in zip(("MAJOR", "MINOR", "PATCH"), version.split(".")):
        rewrite(root, PARTS, PART.format(name), part)


def set_abi(root, number):
    rewrite(root, API, ABI, number)
    for path, pattern in ABI_NAMES:
        rewrite(root, path, pattern, number)


CHECKS = [check_versions]

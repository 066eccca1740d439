# SPDX-License-Identifier: MIT
"""For tests that start the assist: a mount namespace with an empty /run, which goes with
the process.  So no test sees another one's assist, nor the machine's, and disturbs none."""

import ctypes
import errno
import mmap
import os
import pathlib
import struct
import sys

SKIP = 77
RUN = pathlib.Path("/run")
ABOVE = RUN / "furwock"
MOUNT = ABOVE / "assist"
PAGE = MOUNT / "page"
PINS = {"page", "switch", "exit", "exec", "join"}
AT_STOPPED, AT_THREADS, PAGE_BYTES = 12, 4096 + 1024 * 64, 4096 + 1024 * 64 + 65536 * 8

BPF = {"x86_64": 321, "aarch64": 280}.get(os.uname().machine)
MAP_CREATE, MAP_UPDATE, OBJ_PIN, OBJ_GET, INFO, LINK_BY_ID = 0, 2, 6, 7, 15, 30
MMAPABLE = 1 << 10
ARRAY = 2
CLONE_NEWNS = 0x20000
MS_RDONLY, MS_REMOUNT, MS_REC, MS_PRIVATE, MNT_DETACH = 1, 32, 1 << 14, 1 << 18, 2

libc = ctypes.CDLL(None, use_errno=True)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def checked(answer):
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def mount(kind, place, flags=0, options=""):
    checked(libc.mount(b"test", os.fsencode(place), kind.encode(), ctypes.c_ulong(flags),
                       options.encode()))


def unmount(place):
    checked(libc.umount2(os.fsencode(place), MNT_DETACH))


def own_namespace():
    """From here on, what this process mounts is its own."""
    checked(libc.unshare(CLONE_NEWNS))
    checked(libc.mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None))


def bpf(command, packed):
    attributes = ctypes.create_string_buffer(packed, 128)
    return checked(libc.syscall(BPF, command, attributes, 128))


def path_address(path):
    text = ctypes.create_string_buffer(os.fsencode(path))
    return text, ctypes.addressof(text)


def open_pin(path):
    text, address = path_address(path)
    fd = bpf(OBJ_GET, struct.pack("<QII", address, 0, 0))
    del text
    return fd


def update(fd):
    """Writes zeroes over the value of the array."""
    key, value = ctypes.create_string_buffer(4), ctypes.create_string_buffer(1 << 20)
    bpf(MAP_UPDATE, struct.pack("<IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(value), 0))


def pin_array(path, size, content):
    """An array of one value, which begins so."""
    fd = bpf(MAP_CREATE, struct.pack("<IIIII", ARRAY, 4, size, 1, MMAPABLE))
    with mmap.mmap(fd, mmap.PAGESIZE, mmap.MAP_SHARED) as memory:
        memory[:len(content)] = content
    text, address = path_address(path)
    bpf(OBJ_PIN, struct.pack("<QI", address, fd))
    del text
    os.close(fd)


def forge_page(version, stopped=0, magic=b"fwkssist", size=1 << 20):
    """In place of the one that is pinned, one of another version, or of none."""
    PAGE.unlink()
    pin_array(PAGE, size, magic + struct.pack("<III", version, stopped, 1))


def ring():
    """This process becomes a participant (src/sys/running_page.h)."""
    libc.prctl(0x66777201, 1, 0, 0, 0)


def entry(thread):
    """What the page has of a thread of this pid namespace: (switches, state), or None."""
    namespace = os.stat("/proc/self/ns/pid").st_ino
    index = ((thread + namespace * 7919) % 8192) * 8 + (thread >> 13 & 7)
    fd = open_pin(PAGE)
    with mmap.mmap(fd, PAGE_BYTES, mmap.MAP_SHARED, mmap.PROT_READ) as memory:
        word, = struct.unpack_from("<Q", memory, AT_THREADS + 8 * index)
    os.close(fd)
    if word >> 16 != (thread << 26 | namespace % (1 << 26)):
        return None
    return word >> 2 & 0x3fff, word & 3


def link_number(path=MOUNT / "switch"):
    """The kernel's number of the link that is pinned there."""
    fd = open_pin(path)
    buffer = ctypes.create_string_buffer(64)
    bpf(INFO, struct.pack("<IIQ", fd, 64, ctypes.addressof(buffer)))
    os.close(fd)
    return struct.unpack_from("<II", buffer.raw)[1]


def link_lives(number):
    try:
        os.close(bpf(LINK_BY_ID, struct.pack("<I", number)))
    except OSError as error:
        if error.errno == errno.ENOENT:
            return False
        raise
    return True


def refuse_bpf():
    """From here on this process has no system call bpf, as on a kernel built without it."""
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    code = b"".join(struct.pack("<HBBI", *line) for line in (
        (0x20, 0, 0, 0),                          # the number of the call
        (0x15, 0, 1, BPF),                        # is it that one?
        (0x06, 0, 0, 0x50000 | errno.ENOSYS),     # it fails
        (0x06, 0, 0, 0x7fff0000)))                # any other does what it does
    buffer = ctypes.create_string_buffer(code)
    program = Program(4, ctypes.addressof(buffer))
    checked(libc.prctl(38, 1, 0, 0, 0))
    checked(libc.prctl(22, 2, ctypes.byref(program), 0, 0))

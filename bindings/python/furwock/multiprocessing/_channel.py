# SPDX-License-Identifier: MIT
"""Messages between processes that arrive whole or not at all.

A channel is one direction of an AF_UNIX socket pair of type SOCK_SEQPACKET: the kernel appends a
message, or hands one out, in one step.  So any number of processes send and receive without a
lock, and one that is killed leaves neither half a message nor a lock held.

A message is a header (kind, length), the payload, and padding.  A payload above INLINE_MAX bytes
travels in an anonymous file (memfd), whose descriptor the message carries.

Memory: the socket holds SEND_BUFFER bytes of messages; an anonymous file counts as LARGE_WEIGHT of
them, so at most about 30 large payloads are in a channel, charged to the process that sent them.

Waiters use poll(), which wakes all of them: a process that is woken alone and killed before it
receives would leave the others asleep.
"""

from __future__ import annotations

import array
import collections
import errno
import fcntl
import functools
import mmap
import operator
import os
import select
import socket
import struct
import termios
import time
from multiprocessing import reduction
from typing import Any, Callable, Union

from ._spare import spare

Buffer = Union[bytes, bytearray, memoryview]

INLINE_MAX = 64 * 1024
SEND_BUFFER = 256 * 1024        # bytes; Linux doubles it for its own bookkeeping
LARGE_WEIGHT = 16 * 1024        # bytes of SEND_BUFFER that a large payload occupies
# Every length is 1 modulo COUNT_UNIT, so that the bytes in the socket tell how many messages they
# are.  Each takes more than 1024 bytes of at most 2 * SEND_BUFFER: fewer than COUNT_UNIT.
COUNT_UNIT = 512
assert 2 * SEND_BUFFER // 1024 <= COUNT_UNIT

_HEADER = struct.Struct("<BI")
_FILE_SIZE = struct.Struct("<Q")
_INLINE, _LARGE = 0, 1
_ZEROS = memoryview(bytes(LARGE_WEIGHT + COUNT_UNIT))
_RECEIVE_MAX = INLINE_MAX + LARGE_WEIGHT + 2 * COUNT_UNIT
_ANCILLARY = socket.CMSG_SPACE(array.array("i").itemsize)
# The file description is shared with other processes, so O_NONBLOCK is not for it.
_PEEK = int(socket.MSG_PEEK | socket.MSG_DONTWAIT)
_RECEIVE = int(socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC)
_SEND = int(socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
_RETRY_S = 0.01     # while other channels have too many descriptors in flight


_call = operator.methodcaller("__call__")


def in_one_step(*calls: Callable[[], object]) -> None:
    """Make calls that are written in C; no Python signal handler runs between them."""
    collections.deque(map(_call, calls), 0)


class ItemLost(OSError):
    """An item was taken out of a channel, but could not be received."""


def _write_file(payload: Buffer) -> int:
    """A new anonymous file that holds the payload."""
    fd = os.memfd_create("furwock-item", os.MFD_CLOEXEC)
    try:
        left = memoryview(payload).cast("B")
        while left:
            left = left[os.write(fd, left):]
    except BaseException:
        os.close(fd)
        raise
    return fd


def _read_file(fd: int, size: int) -> Buffer:
    """The payload in an anonymous file, which is closed."""
    try:
        return memoryview(mmap.mmap(fd, size, mmap.MAP_PRIVATE, mmap.PROT_READ))
    except OSError:             # the object keeps a duplicate, for which no descriptor may be left
        with open(fd, "rb", closefd=False) as file:
            file.seek(0)
            return file.read()
    finally:
        os.close(fd)


class Message:
    """A message ready to be sent: the payload is already copied if it needs a file."""

    __slots__ = ("parts", "fd")

    def __init__(self, payload: Buffer) -> None:
        self.fd = -1
        size = len(payload)
        body: Buffer = payload
        kind, weight = _INLINE, size
        if size > INLINE_MAX:
            self.fd = _write_file(payload)
            kind, body, weight = _LARGE, _FILE_SIZE.pack(size), LARGE_WEIGHT
        length = _HEADER.size + weight
        padded = length + (1 - length) % COUNT_UNIT
        if padded == 1:
            padded += COUNT_UNIT
        padding = _ZEROS[:padded - _HEADER.size - len(body)]
        self.parts = (_HEADER.pack(kind, len(body)), body, padding)

    def close(self) -> None:
        """Drop the file of a message that was sent, or will not be."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        self.close()


class ChannelEnd:
    """One end of a channel.  As a multiprocessing Connection it has fileno(), poll() and close(),
    may be passed to multiprocessing.connection.wait(), and is pickled for a child's start."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._recv, self._recvmsg, self._sendmsg = sock.recv, sock.recvmsg, sock.sendmsg
        self._pollers: list[Any] = []       # poll objects serve one thread at a time
        spare.reserve()

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), reduction.DupFd(self.fileno()))

    def fileno(self) -> int:
        self._check_open()
        return self._socket.fileno()

    @property
    def closed(self) -> bool:
        return self._socket.fileno() < 0

    def _check_open(self) -> None:
        if self._socket.fileno() < 0:
            raise OSError("handle is closed")

    def close(self) -> None:
        self._socket.close()

    def __del__(self) -> None:
        if hasattr(self, "_socket"):
            self._socket.close()

    def wait(self, events: int, timeout: float | None) -> bool:
        """Wait until the socket is ready; False after `timeout` seconds (None: no limit)."""
        try:
            poller = self._pollers.pop()
        except IndexError:
            poller = select.poll()
        poller.register(self.fileno(), events)
        ready = poller.poll(None if timeout is None else max(0, timeout) * 1000)
        self._pollers.append(poller)
        return bool(ready)


class Receiver(ChannelEnd):
    def poll(self, timeout: float | None = 0.0) -> bool:
        """Is there a message, or will there be within `timeout` seconds?"""
        return self.wait(select.POLLIN, timeout)

    def receive_now(self) -> Buffer:
        """The oldest message; BlockingIOError if there is none, EOFError if no sender is left."""
        if self._socket.fileno() < 0:
            self._check_open()
        kind = self._recv(1, _PEEK)
        if not kind:
            raise EOFError
        if kind[0] == _LARGE:
            with spare.lent("to receive a large item, which stays in the queue"):
                return self._receive()
        return self._receive()

    def _receive(self) -> Buffer:
        data, ancillary, flags, _ = self._recvmsg(_RECEIVE_MAX, _ANCILLARY, _RECEIVE)
        if not data:
            raise EOFError
        kind, length = _HEADER.unpack_from(data)
        body = memoryview(data)[_HEADER.size:_HEADER.size + length]
        if kind == _INLINE:
            return body
        if flags & socket.MSG_CTRUNC or not ancillary:
            raise ItemLost(errno.EMFILE, "a large item is lost: other threads of this process "
                           "took the last free descriptor while it was received")
        fds = array.array("i", ancillary[0][2])
        return _read_file(fds[0], *_FILE_SIZE.unpack(body))

    def recv(self) -> Any:
        """Wait for an object: concurrent.futures reads a SimpleQueue of its context in this way."""
        return reduction.ForkingPickler.loads(self.recv_bytes())

    def recv_bytes(self) -> Buffer:
        """Wait for a message."""
        while True:
            try:
                return self.receive_now()
            except BlockingIOError:
                self.wait(select.POLLIN, None)

    def count(self) -> int:
        """How many messages are in the channel at this moment."""
        value = array.array("i", [0])
        fcntl.ioctl(self.fileno(), termios.FIONREAD, value)
        return value[0] % COUNT_UNIT


class Sender(ChannelEnd):
    def send_now(self, message: Message, *then: Callable[[], object]) -> None:
        """Append the message, and make the calls of `then`, with no signal handler in between.

        BlockingIOError if the channel is full.
        """
        if self._socket.fileno() < 0:
            self._check_open()
        ancillary: Any = ()
        if message.fd >= 0:
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [message.fd]))]
        try:
            if then:
                send = functools.partial(self._sendmsg, message.parts, ancillary, _SEND)
                in_one_step(send, *then)
            else:
                self._sendmsg(message.parts, ancillary, _SEND)
        except OSError as e:
            # The user's other channels have RLIMIT_NOFILE descriptors in flight, or memory is
            # short for a moment.
            if e.errno in (errno.ETOOMANYREFS, errno.ENOBUFS):
                raise BlockingIOError(e.errno, os.strerror(e.errno)) from None
            raise

    def wait_writable(self, reason: BlockingIOError, timeout: float | None = None) -> bool:
        """Wait after send_now() failed for `reason`; False if it is too early to try again."""
        if reason.errno == errno.EAGAIN:
            return self.wait(select.POLLOUT, timeout)
        time.sleep(_RETRY_S)
        return True

    def send(self, obj: Any) -> None:
        """Pickle an object, and append it as a message; wait while the channel is full."""
        self.send_bytes(reduction.ForkingPickler.dumps(obj))

    def send_bytes(self, payload: Buffer) -> None:
        """Append a message, and wait while the channel is full."""
        message = Message(payload)
        while True:
            try:
                self.send_now(message)
                break
            except BlockingIOError as e:
                self.wait_writable(e)
        message.close()


class Duplex(Receiver, Sender):
    """One end of a pair of channels, one in each direction."""


def duplex() -> tuple[Duplex, Duplex]:
    """Two ends; each receives what the other sends.  Whoever has an end may receive there."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in ends:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    return Duplex(ends[0]), Duplex(ends[1])


def _rebuild(end: type[ChannelEnd], fd: Any) -> ChannelEnd:
    return end(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fd.detach()))


def channel() -> tuple[Receiver, Sender]:
    """A new channel: (reader, writer)."""
    receiving, sending = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sending.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    return Receiver(receiving), Sender(sending)

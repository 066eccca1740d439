// SPDX-License-Identifier: MIT
//! What can go wrong, as one plain type; [`LockError`](super::LockError) has more to say.

use std::fmt;
use std::io;

use furwock_sys::ipc as sys;

/// The numbers of Linux, which are the same on x86-64 and AArch64.
pub(super) mod errno {
    pub const EPERM: i32 = 1;
    pub const ENOENT: i32 = 2;
    pub const EAGAIN: i32 = 11;
    pub const ENOMEM: i32 = 12;
    pub const EACCES: i32 = 13;
    pub const EBUSY: i32 = 16;
    pub const EEXIST: i32 = 17;
    pub const EINVAL: i32 = 22;
    pub const ENFILE: i32 = 23;
    pub const EMFILE: i32 = 24;
    pub const EFBIG: i32 = 27;
    pub const ENOSPC: i32 = 28;
    pub const EDEADLK: i32 = 35;
    pub const EPROTO: i32 = 71;
    pub const EBADMSG: i32 = 74;
    pub const EOVERFLOW: i32 = 75;
    pub const ETIMEDOUT: i32 = 110;
    pub const ESTALE: i32 = 116;
    pub const EUCLEAN: i32 = 117;
    pub const EDQUOT: i32 = 122;
    pub const EOWNERDEAD: i32 = 130;
    pub const ENOTRECOVERABLE: i32 = 131;
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such region or object, and it was not to be created.
    NotFound,
    /// There is one, and a new one was asked for.
    AlreadyExists,
    /// The file system forbids it.
    PermissionDenied,
    /// The file is not what was asked for: another user owns it, it has more permissions than
    /// asked for, or a second name; or the calling thread does not hold what it would release.
    NotPermitted,
    /// A wrong argument; the message says which rule it breaks.
    InvalidInput,
    /// There is one of another kind, size, version or with other parameters.
    Mismatch,
    /// The region was created before the last boot, or on another machine.
    Stale,
    /// No region; or the region, the object or its journal has been overwritten.
    Corrupted,
    /// The bytes of the data are no valid value of the type.
    InvalidData,
    /// No space in the file system, the region, its directory or the journal.
    NoSpace,
    /// The region has no participant slot left for another thread.
    NoSlot,
    /// The process has too many regions or descriptors open.
    TooMany,
    /// It cannot be had at once.
    WouldBlock,
    /// It was not to be had in time.
    TimedOut,
    /// The calling thread would wait for itself.
    Deadlock,
    /// A process died, and nobody has declared the data consistent since.
    OwnerDied,
    /// A panic left the data half changed, and they have not been repaired.
    Poisoned,
    /// A dead owner's data were not repaired: the lock is unusable.
    NotRecoverable,
    /// The semaphore's value would exceed its maximum.
    Overflow,
    /// Something else: [`Error::raw_os_error`].
    Other,
}

/// An error of a region or of one of its objects.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    errno: i32,
    during: &'static str,
    name: Option<Box<str>>,
}

impl Error {
    pub(super) fn new(errno: i32, during: &'static str) -> Self {
        Self { kind: kind_of(errno), errno, during, name: None }
    }

    pub(super) fn named(errno: i32, during: &'static str, name: &str) -> Self {
        Self { name: Some(name.into()), ..Self::new(errno, during) }
    }

    pub(super) fn of_kind(kind: ErrorKind, during: &'static str) -> Self {
        let errno = match kind {
            ErrorKind::InvalidData => errno::EBADMSG,
            _ => errno::ENOTRECOVERABLE,
        };
        Self { kind, errno, during, name: None }
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The number that the C library returned, as in `errno`.
    pub fn raw_os_error(&self) -> i32 {
        self.errno
    }
}

fn kind_of(number: i32) -> ErrorKind {
    use errno::*;
    match number {
        ENOENT => ErrorKind::NotFound,
        EEXIST => ErrorKind::AlreadyExists,
        EACCES => ErrorKind::PermissionDenied,
        EPERM => ErrorKind::NotPermitted,
        EINVAL => ErrorKind::InvalidInput,
        EPROTO => ErrorKind::Mismatch,
        ESTALE => ErrorKind::Stale,
        EUCLEAN => ErrorKind::Corrupted,
        EBADMSG => ErrorKind::InvalidData,
        ENOSPC | EDQUOT | EFBIG | ENOMEM => ErrorKind::NoSpace,
        EAGAIN => ErrorKind::NoSlot,
        EMFILE | ENFILE => ErrorKind::TooMany,
        EBUSY => ErrorKind::WouldBlock,
        ETIMEDOUT => ErrorKind::TimedOut,
        EDEADLK => ErrorKind::Deadlock,
        EOWNERDEAD => ErrorKind::OwnerDied,
        ENOTRECOVERABLE => ErrorKind::NotRecoverable,
        EOVERFLOW => ErrorKind::Overflow,
        _ => ErrorKind::Other,
    }
}

fn reason(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::NotFound => "there is none",
        ErrorKind::AlreadyExists => "there is one already",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::NotPermitted => {
            "not permitted (a file of another user, with more permissions than asked for or with \
             a second name; or a lock that this thread does not hold)"
        }
        ErrorKind::InvalidInput => "invalid argument, or not in a region of this process",
        ErrorKind::Mismatch => "there is one of another kind, size, version or parameters",
        ErrorKind::Stale => "created before the last boot, or on another machine",
        ErrorKind::Corrupted => "no region, or overwritten",
        ErrorKind::InvalidData => "its bytes are no valid value of the type",
        ErrorKind::NoSpace => "no space",
        ErrorKind::NoSlot => "the region has no participant slot left for another thread",
        ErrorKind::TooMany => "too many regions or descriptors are open",
        ErrorKind::WouldBlock => "it cannot be had at once",
        ErrorKind::TimedOut => "timed out",
        ErrorKind::Deadlock => "the thread would wait for itself",
        ErrorKind::OwnerDied => "a process died while it was using it",
        ErrorKind::Poisoned => "a panic left the data half changed",
        ErrorKind::NotRecoverable => "unusable: a dead owner's data were not repaired",
        ErrorKind::Overflow => "the value would exceed the maximum",
        ErrorKind::Other => return None,
    })
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.during)?;
        if let Some(name) = &self.name {
            write!(f, " {name:?}")?;
        }
        match reason(self.kind) {
            Some(reason) => write!(f, ": {reason}"),
            None => write!(f, ": {}", io::Error::from_raw_os_error(self.errno)),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = io::Error::from_raw_os_error(error.errno).kind();
        io::Error::new(kind, error)
    }
}

/// 0 is success.
pub(super) fn check(errno: i32, during: &'static str) -> Result<(), Error> {
    match errno {
        0 => Ok(()),
        _ => Err(Error::new(errno, during)),
    }
}

/// An owner that died: of a lock, of a permit, or a participant of a barrier.
///
/// The ids are those of the dead thread's pid namespace; 0 if they are no longer known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Death {
    /// Its process.
    pub process: i32,
    /// Its thread, as `gettid(2)` numbers it.
    pub thread: i32,
    /// The generation of its acquisition; of a barrier: the number of the phase.
    pub generation: u64,
}

impl From<sys::fw_ipc_death> for Death {
    fn from(d: sys::fw_ipc_death) -> Self {
        Self { process: d.process, thread: d.thread, generation: d.generation }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.process == 0 {
            return write!(f, "an unknown process died (generation {})", self.generation);
        }
        let Self { process, thread, generation } = self;
        write!(f, "process {process} died (thread {thread}, generation {generation})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_cause() {
        let error = Error::named(errno::ESTALE, "open the region", "/x");
        assert_eq!(
            error.to_string(),
            "open the region \"/x\": created before the last boot, or on another machine"
        );
        assert_eq!(error.kind(), ErrorKind::Stale);
        let error: io::Error = Error::new(errno::ETIMEDOUT, "lock the mutex").into();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "lock the mutex: timed out");
        let strange = Error::new(36, "open the region");
        assert!(strange.to_string().contains("too long"), "{strange}");
    }
}

// SPDX-License-Identifier: MIT
//! What a thread has that reads.

use std::fmt;
use std::mem::{size_of, ManuallyDrop};
use std::ops::Deref;
use std::slice;
use std::time::Duration;

use furwock_sys::ipc as sys;
use zerocopy::Immutable;

use crate::deadline::Deadline;

use super::error::{errno, Error, ErrorKind};
use super::guard::{Exclusive, Guard};
use super::holder::{HeldByTask, HeldByThread};
use super::rwlock::{RwLock, RwLockUpgradableReadGuard, RwLockWriteGuard};
use super::shm::ShmSafe;

/// Why a lock was not taken for reading.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// A writer died, and nobody has repaired the data.  Take the lock for writing to do so.
    WriterDied,
    /// The bytes are no valid value of the type.
    Invalid,
    /// A panic has left the data half changed.
    Poisoned,
    /// Another thread, or this one, writes or waits to.
    WouldBlock,
    /// Not taken in time.
    TimedOut,
    /// The calling thread holds the lock for writing.
    Deadlock,
    /// A dead writer's data were not repaired: the lock is unusable for good.
    NotRecoverable,
    /// The lock has been overwritten.
    Corrupted,
    /// No participant slot left in the region, or the thread has 16 read locks there.
    NoSlot,
    /// Something else.
    Other(Error),
}

impl ReadError {
    fn of(number: i32, during: &'static str) -> Self {
        match number {
            errno::EOWNERDEAD => Self::WriterDied,
            errno::EBUSY => Self::WouldBlock,
            errno::ETIMEDOUT => Self::TimedOut,
            errno::EDEADLK => Self::Deadlock,
            errno::ENOTRECOVERABLE => Self::NotRecoverable,
            errno::EUCLEAN => Self::Corrupted,
            errno::EAGAIN => Self::NoSlot,
            _ => Self::Other(Error::new(number, during)),
        }
    }

    /// The same as a plain error.
    pub fn into_error(self) -> Error {
        const DURING: &str = "lock for reading";
        let number = match self {
            Self::WriterDied => errno::EOWNERDEAD,
            Self::Invalid => errno::EBADMSG,
            Self::Poisoned => return Error::of_kind(ErrorKind::Poisoned, DURING),
            Self::WouldBlock => errno::EBUSY,
            Self::TimedOut => errno::ETIMEDOUT,
            Self::Deadlock => errno::EDEADLK,
            Self::NotRecoverable => errno::ENOTRECOVERABLE,
            Self::Corrupted => errno::EUCLEAN,
            Self::NoSlot => errno::EAGAIN,
            Self::Other(error) => return error,
        };
        Error::new(number, DURING)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        error.into_error()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WriterDied => "a writer died, and the data may be half changed",
            Self::Other(error) => return error.fmt(f),
            Self::Invalid => "the bytes under the lock are no valid value of the type",
            Self::Poisoned => "a panic has left the data under the lock half changed",
            Self::WouldBlock => "the lock is held for writing, or a writer waits",
            Self::TimedOut => "the lock was not to be had in time",
            Self::Deadlock => "the thread holds the lock for writing",
            Self::NotRecoverable => "the lock is unusable: a dead writer's data were not repaired",
            Self::Corrupted => "the lock has been overwritten",
            Self::NoSlot => "no participant slot in the region, or 16 read locks already",
        })
    }
}

impl std::error::Error for ReadError {}

/// What the calls to read return.
pub type ReadResult<'a, T, M> = Result<ReadGuard<'a, T, M>, ReadError>;

/// How a lock is read; [`Read`], [`Upgradable`] or [`ReadByTask`].
pub trait ReadMode: sealed::ReadMode {}

mod sealed {
    pub trait ReadMode {
        /// Whose the lock is.
        type Held;

        /// # Safety
        /// A lock in a region that is open.
        unsafe fn unlock(lock: *mut furwock_sys::ipc::fw_ipc_rwlock, held: &Self::Held) -> i32;
    }
}

/// Beside other readers.
#[derive(Debug)]
pub enum Read {}

/// Beside other readers, but as the only upgradable one.
#[derive(Debug)]
pub enum Upgradable {}

/// Beside other readers, by a task: the guard is [`Send`].
#[derive(Debug)]
pub enum ReadByTask {}

impl ReadMode for Read {}
impl ReadMode for Upgradable {}
impl ReadMode for ReadByTask {}

impl sealed::ReadMode for Read {
    type Held = HeldByThread;

    unsafe fn unlock(lock: *mut sys::fw_ipc_rwlock, _: &HeldByThread) -> i32 {
        // SAFETY: the caller's promise.
        unsafe { sys::fw_ipc_rwlock_rdunlock(lock) }
    }
}

impl sealed::ReadMode for Upgradable {
    type Held = HeldByThread;

    unsafe fn unlock(lock: *mut sys::fw_ipc_rwlock, _: &HeldByThread) -> i32 {
        // SAFETY: the caller's promise.
        unsafe { sys::fw_ipc_rwlock_upgradable_unlock(lock) }
    }
}

impl sealed::ReadMode for ReadByTask {
    type Held = HeldByTask;

    unsafe fn unlock(lock: *mut sys::fw_ipc_rwlock, held: &HeldByTask) -> i32 {
        // SAFETY: the caller's promise.
        unsafe { sys::fw_task_ipc_rwlock_rdunlock(lock, held.0.id()) }
    }
}

/// A lock that is held for reading; dropping it releases the lock.
///
/// It belongs to the thread that took it, or to the task, with [`ReadByTask`].  A forked child
/// holds nothing.
#[must_use = "dropping the guard releases the lock"]
pub struct ReadGuard<'a, T: ShmSafe + Sync + Immutable, M: ReadMode> {
    lock: &'a RwLock<T>,
    held: M::Held,
}

// SAFETY: it gives no more than `&T`.
unsafe impl<T: ShmSafe + Sync + Immutable, M: ReadMode> Sync for ReadGuard<'_, T, M> {}

impl<'a, T: ShmSafe + Sync + Immutable, M: ReadMode<Held = HeldByThread>> ReadGuard<'a, T, M> {
    /// For a thread that holds it so.
    pub(super) fn new(lock: &'a RwLock<T>) -> Self {
        Self { lock, held: HeldByThread::new() }
    }

    /// What a call of C returned.
    pub(super) fn after(
        lock: &'a RwLock<T>,
        result: i32,
        during: &'static str,
    ) -> Result<Self, ReadError> {
        Self::after_for(lock, HeldByThread::new(), result, during)
    }

    /// (What the thread holds needs no destructor.)
    fn into_lock(self) -> &'a RwLock<T> {
        ManuallyDrop::new(self).lock
    }
}

impl<'a, T: ShmSafe + Sync + Immutable, M: ReadMode> ReadGuard<'a, T, M> {
    /// What a call of C returned.
    pub(super) fn after_for(
        lock: &'a RwLock<T>,
        held: M::Held,
        result: i32,
        during: &'static str,
    ) -> Result<Self, ReadError> {
        if result != 0 {
            return Err(ReadError::of(result, during));
        }
        let guard = Self { lock, held };
        let start = lock.data().as_ptr().cast::<u8>();
        // SAFETY: initialised, as all bytes of a mapping, and not changed while the lock is held.
        let bytes = unsafe { slice::from_raw_parts(start, size_of::<T>()) };
        if T::try_ref_from_bytes(bytes).is_err() {
            return Err(ReadError::Invalid);
        }
        if lock.is_poisoned() {
            return Err(ReadError::Poisoned);
        }
        Ok(guard)
    }
}

/// What an upgrade returns: the guard comes back if it has failed.
pub type UpgradeResult<'a, T> =
    Result<RwLockWriteGuard<'a, T>, (RwLockUpgradableReadGuard<'a, T>, Error)>;

impl<'a, T: ShmSafe + Sync + Immutable> ReadGuard<'a, T, Upgradable> {
    fn after_upgrade(self, result: i32) -> UpgradeResult<'a, T> {
        match result {
            0 => Ok(Guard::new(self.into_lock())),
            _ => Err((self, Error::new(result, "upgrade the lock"))),
        }
    }

    /// Becomes the writer when the readers have left; nobody writes in between.
    ///
    /// # Errors
    /// [`Deadlock`](super::ErrorKind::Deadlock): the thread also holds a read lock.
    pub fn upgrade(this: Self) -> UpgradeResult<'a, T> {
        // SAFETY: a lock in a region that is open.
        let result = unsafe { sys::fw_ipc_rwlock_upgrade(this.lock.raw()) };
        this.after_upgrade(result)
    }

    /// The same, if there are no readers.
    ///
    /// # Errors
    /// [`WouldBlock`](super::ErrorKind::WouldBlock), and as for [`upgrade`](Self::upgrade).
    pub fn try_upgrade(this: Self) -> UpgradeResult<'a, T> {
        // SAFETY: as above.
        let result = unsafe { sys::fw_ipc_rwlock_tryupgrade(this.lock.raw()) };
        this.after_upgrade(result)
    }

    /// The same, waiting for that time at most.
    ///
    /// # Errors
    /// [`TimedOut`](super::ErrorKind::TimedOut), and as for [`upgrade`](Self::upgrade).
    pub fn try_upgrade_for(this: Self, timeout: Duration) -> UpgradeResult<'a, T> {
        let deadline = Deadline::after(timeout);
        let deadline = deadline.as_ptr();
        if deadline.is_null() {
            return Self::upgrade(this);
        }
        // SAFETY: as above, and a deadline.
        let result = unsafe { sys::fw_ipc_rwlock_timedupgrade(this.lock.raw(), deadline) };
        this.after_upgrade(result)
    }

    /// Goes on as a plain reader.
    ///
    /// # Errors
    /// The guard comes back: the thread has 16 read locks.
    pub fn downgrade(this: Self) -> Result<ReadGuard<'a, T, Read>, (Self, Error)> {
        // SAFETY: as above.
        match unsafe { sys::fw_ipc_rwlock_downgrade(this.lock.raw()) } {
            0 => Ok(ReadGuard::new(this.into_lock())),
            result => Err((this, Error::new(result, "downgrade the lock"))),
        }
    }
}

impl<T: ShmSafe + Sync + Immutable, M: ReadMode> Deref for ReadGuard<'_, T, M> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is held, its region trusted, and the bytes were a value.
        unsafe { self.lock.data().as_ref() }
    }
}

impl<T: ShmSafe + Sync + Immutable, M: ReadMode> Drop for ReadGuard<'_, T, M> {
    fn drop(&mut self) {
        // SAFETY: as above.  Not held after a fork.
        unsafe { M::unlock(self.lock.raw(), &self.held) };
    }
}

impl<T: ShmSafe + Sync + Immutable + fmt::Debug, M: ReadMode> fmt::Debug for ReadGuard<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

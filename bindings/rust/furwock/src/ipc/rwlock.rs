// SPDX-License-Identifier: MIT
//! Many readers or one writer, of any processes.

use std::fmt;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;
use zerocopy::Immutable;

use crate::deadline::Deadline;

use super::error::{check, errno, Death, Error};
use super::guard::{
    is_value_in_place, last_death, replace_in_place, with_in_place, Exclusive, Guard, InPlace,
};
use super::lock_error::{repaired, LockError};
use super::lock_options::{LockOptions, Parts};
use super::mutex::Shared;
use super::on_death::leaked;
use super::read_guard::{Read, ReadError, ReadGuard, ReadResult, Upgradable};
use super::region::Region;
use super::shm::ShmSafe;
use super::state::{state_of, LockState};

/// A read-write lock and its data in a [`Region`], for threads of any processes, robust against
/// their death.
///
/// A dead reader's lock counts as released.  If a writer dies, the next one takes the lock with
/// [`LockError::OwnerDied`], as with a [`Mutex`](super::Mutex); a reader gets
/// [`ReadError::WriterDied`] and holds nothing ([`read_or_repair`](RwLock::read_or_repair) writes
/// then, repairs, and goes on as a reader).  With a [journal](LockOptions::journal) or a repair
/// function the data are restored first, and nothing is reported.
///
/// Phase-fair: a waiting writer keeps new readers out until it has had its turn, and its release
/// admits all waiting readers.  A thread may read-lock what it has read-locked; it has at most 16
/// read locks in a region.
///
/// ```
/// # let name = format!("/furwock-doc-rwlock-{}", std::process::id());
/// use furwock::ipc::{Region, RwLock};
///
/// // SAFETY: only this program uses the region.
/// let region = unsafe { Region::options().create(true).open(&name) }?;
/// # Region::remove(&name)?;
/// let price = RwLock::open_or_create(&region, "price", [100_u64, 102])?;
/// {
///     let mut quote = price.write().unwrap();
///     *quote = [101, 103];
/// }
/// let quote = price.read().unwrap();
/// assert_eq!(quote[1] - quote[0], 2);
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct RwLock<T: ShmSafe + Sync + Immutable> {
    pub(super) parts: Parts<sys::fw_ipc_rwlock, T>,
}

// SAFETY: a handle is a few addresses; the data are Send and Sync.
unsafe impl<T: ShmSafe + Sync + Immutable> Send for RwLock<T> {}
// SAFETY: the same.
unsafe impl<T: ShmSafe + Sync + Immutable> Sync for RwLock<T> {}

/// The guard of a writer.
pub type RwLockWriteGuard<'a, T> = Guard<'a, RwLock<T>>;
/// The guard of a reader.
pub type RwLockReadGuard<'a, T> = ReadGuard<'a, T, Read>;
/// The guard of the one reader that can become the writer.
pub type RwLockUpgradableReadGuard<'a, T> = ReadGuard<'a, T, Upgradable>;

/// What [`RwLock::write`] returns.
pub type WriteResult<'a, T> = Result<RwLockWriteGuard<'a, T>, LockError<RwLockWriteGuard<'a, T>>>;

const READ: &str = "lock for reading";
const WRITE: &str = "lock for writing";
const UPGRADABLE: &str = "lock for upgradable reading";

impl<T: ShmSafe + Sync + Immutable> RwLock<T> {
    constructors!(Region, "read-write lock");

    pub(super) fn raw(&self) -> *mut sys::fw_ipc_rwlock {
        self.parts.lock.as_ptr()
    }

    /// Takes the lock for reading, waiting for it if need be.
    ///
    /// # Errors
    /// [`ReadError`]: the lock is not held.
    pub fn read(&self) -> ReadResult<'_, T, Read> {
        // SAFETY: a lock in a region that is open.
        ReadGuard::after(self, unsafe { sys::fw_ipc_rwlock_rdlock(self.raw()) }, READ)
    }

    /// The same, if that is possible at once.
    ///
    /// # Errors
    /// [`ReadError::WouldBlock`], and as for [`read`](Self::read).
    pub fn try_read(&self) -> ReadResult<'_, T, Read> {
        // SAFETY: as above.
        ReadGuard::after(self, unsafe { sys::fw_ipc_rwlock_tryrdlock(self.raw()) }, READ)
    }

    /// The same, waiting for that time at most.
    ///
    /// # Errors
    /// [`ReadError::TimedOut`], and as for [`read`](Self::read).
    pub fn try_read_for(&self, timeout: Duration) -> ReadResult<'_, T, Read> {
        self.read_by(&Deadline::after(timeout))
    }

    /// The same, waiting until that moment at most.
    ///
    /// # Errors
    /// As for [`try_read_for`](Self::try_read_for).
    pub fn try_read_until(&self, deadline: Instant) -> ReadResult<'_, T, Read> {
        self.read_by(&Deadline::at(deadline))
    }

    fn read_by(&self, deadline: &Deadline) -> ReadResult<'_, T, Read> {
        let (lock, policy, deadline) = (self.raw(), ptr::null(), deadline.as_ptr());
        // SAFETY: as above; null is no policy, and no deadline.
        let result = unsafe { sys::fw_ipc_rwlock_rdlock_policy(lock, policy, deadline) };
        ReadGuard::after(self, result, READ)
    }

    /// Takes the lock for reading; if a writer died, or a panic left the data half changed, takes
    /// it for writing, lets `repair` restore the data, and goes on as a reader.
    ///
    /// # Errors
    /// What remains: the lock is not held.
    pub fn read_or_repair(
        &self,
        mut repair: impl FnMut(&mut T, Option<&Death>),
    ) -> Result<RwLockReadGuard<'_, T>, Error> {
        match self.read() {
            Err(ReadError::WriterDied | ReadError::Poisoned) => {
                let guard = self.write_or_repair(&mut repair)?;
                Guard::downgrade(guard).map_err(|(_, error)| error)
            }
            other => other.map_err(ReadError::into_error),
        }
    }

    /// Takes the lock for writing, waiting for it if need be.
    ///
    /// # Errors
    /// [`LockError`] says which of them hold the lock.
    pub fn write(&self) -> WriteResult<'_, T> {
        // SAFETY: as above.
        Guard::after(self, unsafe { sys::fw_ipc_rwlock_wrlock(self.raw()) }, WRITE)
    }

    /// The same, if no thread holds it.
    ///
    /// # Errors
    /// [`LockError::WouldBlock`], and as for [`write`](Self::write).
    pub fn try_write(&self) -> WriteResult<'_, T> {
        // SAFETY: as above.
        Guard::after(self, unsafe { sys::fw_ipc_rwlock_trywrlock(self.raw()) }, WRITE)
    }

    /// The same, waiting for that time at most.
    ///
    /// # Errors
    /// [`LockError::TimedOut`], and as for [`write`](Self::write).
    pub fn try_write_for(&self, timeout: Duration) -> WriteResult<'_, T> {
        self.write_by(&Deadline::after(timeout))
    }

    /// The same, waiting until that moment at most.
    ///
    /// # Errors
    /// As for [`try_write_for`](Self::try_write_for).
    pub fn try_write_until(&self, deadline: Instant) -> WriteResult<'_, T> {
        self.write_by(&Deadline::at(deadline))
    }

    fn write_by(&self, deadline: &Deadline) -> WriteResult<'_, T> {
        let (lock, policy, deadline) = (self.raw(), ptr::null(), deadline.as_ptr());
        // SAFETY: as above.
        let result = unsafe { sys::fw_ipc_rwlock_wrlock_policy(lock, policy, deadline) };
        Guard::after(self, result, WRITE)
    }

    /// Takes the lock for writing, and lets `repair` restore the data if a writer died (or a panic
    /// left them half changed: then there is no death).
    ///
    /// # Errors
    /// What remains: the lock is not held.
    pub fn write_or_repair(
        &self,
        repair: impl FnOnce(&mut T, Option<&Death>),
    ) -> Result<RwLockWriteGuard<'_, T>, Error> {
        repaired(self.write(), repair)
    }

    /// Takes the lock for upgradable reading: beside readers, but not beside another one.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn upgradable_read(&self) -> ReadResult<'_, T, Upgradable> {
        // SAFETY: as above.
        let result = unsafe { sys::fw_ipc_rwlock_upgradable_lock(self.raw()) };
        ReadGuard::after(self, result, UPGRADABLE)
    }

    /// The same, if that is possible at once.
    ///
    /// # Errors
    /// As for [`try_read`](Self::try_read).
    pub fn try_upgradable_read(&self) -> ReadResult<'_, T, Upgradable> {
        // SAFETY: as above.
        let result = unsafe { sys::fw_ipc_rwlock_upgradable_trylock(self.raw()) };
        ReadGuard::after(self, result, UPGRADABLE)
    }

    /// The same, waiting for that time at most.
    ///
    /// # Errors
    /// As for [`try_read_for`](Self::try_read_for).
    pub fn try_upgradable_read_for(&self, timeout: Duration) -> ReadResult<'_, T, Upgradable> {
        let deadline = Deadline::after(timeout);
        let (lock, policy, deadline) = (self.raw(), ptr::null(), deadline.as_ptr());
        // SAFETY: as above.
        let result = unsafe { sys::fw_ipc_rwlock_upgradable_lock_policy(lock, policy, deadline) };
        ReadGuard::after(self, result, UPGRADABLE)
    }

    /// Registers a repair function, for this process, as for a mutex:
    /// [`Mutex::on_death`](super::Mutex::on_death).  Calls to read use it, too.
    ///
    /// # Errors
    /// [`NoSpace`](super::ErrorKind::NoSpace): no memory.
    pub fn on_death(
        &self,
        repair: impl Fn(&mut T, &Death) -> bool + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let data = Shared(self.parts.data);
        let (call, arg) = leaked(Box::new(move |death| data.repair::<Self>(&repair, death)));
        // SAFETY: as above; the function stays, and C forgets it when the region is closed.
        let result = unsafe { sys::fw_ipc_rwlock_on_death(self.raw(), Some(call), arg) };
        check(result, "register a repair function")
    }

    /// Unregisters it.
    pub fn no_repair(&self) {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_rwlock_on_death(self.raw(), None, ptr::null_mut()) };
    }

    /// Which thread holds it.  Takes no participant slot, and changes nothing.
    ///
    /// # Errors
    /// [`Corrupted`](super::ErrorKind::Corrupted): it was overwritten.
    pub fn state(&self) -> Result<LockState, Error> {
        // SAFETY: as above, and a place for the result.
        state_of(|state| unsafe { sys::fw_ipc_rwlock_state(self.raw(), state) })
    }

    /// A snapshot of the number of the current or the last acquisition for writing.
    pub fn generation(&self) -> u64 {
        Exclusive::generation(self)
    }

    /// The last writer that died, if any has.
    pub fn last_death(&self) -> Option<Death> {
        last_death(self)
    }
}

impl<'a, T: ShmSafe + Sync + Immutable> Guard<'a, RwLock<T>> {
    /// Goes on as a reader, without waiting; waiting readers are admitted, and the journal is
    /// committed.
    ///
    /// # Errors
    /// The guard comes back: [`NoSlot`](super::ErrorKind::NoSlot) if the thread has 16 read locks.
    pub fn downgrade(this: Self) -> Result<RwLockReadGuard<'a, T>, (Self, Error)> {
        // SAFETY: a lock in a region that is open.
        let result = unsafe { sys::fw_ipc_rwlock_downgrade(this.lock.raw()) };
        match result {
            0 | errno::EUCLEAN => Ok(ReadGuard::new(this.into_lock())),
            _ => Err((this, Error::new(result, "downgrade the lock"))),
        }
    }

    /// Goes on as the upgradable reader.
    ///
    /// # Errors
    /// The guard comes back.
    pub fn downgrade_to_upgradable(
        this: Self,
    ) -> Result<RwLockUpgradableReadGuard<'a, T>, (Self, Error)> {
        // SAFETY: as above.
        let result = unsafe { sys::fw_ipc_rwlock_downgrade_upgradable(this.lock.raw()) };
        match result {
            0 | errno::EUCLEAN => Ok(ReadGuard::new(this.into_lock())),
            _ => Err((this, Error::new(result, "downgrade the lock"))),
        }
    }
}

impl<T: ShmSafe + Sync + Immutable> Exclusive for RwLock<T> {
    type Data = T;

    exclusive_parts!();
    exclusive_calls!(
        fw_ipc_rwlock_wrunlock,
        fw_ipc_rwlock_consistent,
        fw_ipc_rwlock_generation,
        fw_ipc_rwlock_death;
        fw_await_ipc_wrlock,
        fw_task_ipc_rwlock_wrunlock,
        fw_task_ipc_rwlock_consistent
    );

    fn is_value(data: NonNull<T>) -> bool {
        is_value_in_place(data)
    }

    fn with<R>(data: NonNull<T>, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        with_in_place(data, change)
    }

    fn replace(data: NonNull<T>, value: T) {
        replace_in_place(data, value);
    }
}

impl<T: ShmSafe + Sync + Immutable> InPlace for RwLock<T> {}

impl<T: ShmSafe + Sync + Immutable> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").field("generation", &self.generation()).finish_non_exhaustive()
    }
}

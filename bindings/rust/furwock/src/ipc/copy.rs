// SPDX-License-Identifier: MIT
//! Data in a region whose members are not trusted.

use std::fmt;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;

use crate::deadline::Deadline;

use super::error::{check, Death, Error, ErrorKind};
use super::guard::{last_death, Exclusive, Guard};
use super::lock_error::{repaired, LockError};
use super::lock_options::{LockOptions, Parts};
use super::mutex::Shared;
use super::on_death::leaked;
use super::region::UntrustedRegion;
use super::shm::{self, ShmSafe};
use super::state::{state_of, LockState};

/// A mutex and its data in a region whose other members are not trusted: the data are copied and
/// checked, and there are no references to them.
///
/// It is the same object as a [`Mutex`](super::Mutex) of that name and type.
///
/// ```
/// # let name = format!("/furwock-doc-copy-{}", std::process::id());
/// use furwock::ipc::{CopyMutex, Region};
///
/// let region = Region::options().create(true).open_untrusted(&name)?;
/// # Region::remove(&name)?;
/// let flags = CopyMutex::open_or_create(&region, "flags", [false; 8])?;
///
/// let mut guard = flags.lock().unwrap();
/// let mut copy = guard.read()?; // an error if somebody has written a 2 there
/// copy[3] = true;
/// guard.write(copy);
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct CopyMutex<T: ShmSafe> {
    parts: Parts<sys::fw_ipc_mutex, T>,
}

// SAFETY: a handle is a few addresses; the data are copied.
unsafe impl<T: ShmSafe> Send for CopyMutex<T> {}
// SAFETY: the same.
unsafe impl<T: ShmSafe> Sync for CopyMutex<T> {}

/// The guard of a [`CopyMutex`].
pub type CopyGuard<'a, T> = Guard<'a, CopyMutex<T>>;

/// What [`CopyMutex::lock`] returns.
pub type CopyResult<'a, T> = Result<CopyGuard<'a, T>, LockError<CopyGuard<'a, T>>>;

const DURING: &str = "lock the mutex";

impl<T: ShmSafe> CopyMutex<T> {
    constructors!(UntrustedRegion, "mutex");

    fn raw(&self) -> *mut sys::fw_ipc_mutex {
        self.parts.lock.as_ptr()
    }

    /// Takes the mutex, waiting for it if need be: forever, if a hostile member holds it.
    ///
    /// # Errors
    /// [`LockError`] says which of them hold the lock.
    pub fn lock(&self) -> CopyResult<'_, T> {
        // SAFETY: a mutex in a region that is open.
        Guard::after(self, unsafe { sys::fw_ipc_mutex_lock(self.raw()) }, DURING)
    }

    /// Takes the mutex if it is free or its owner is dead.
    ///
    /// # Errors
    /// [`LockError::WouldBlock`], and as for [`lock`](Self::lock).
    pub fn try_lock(&self) -> CopyResult<'_, T> {
        // SAFETY: as above.
        Guard::after(self, unsafe { sys::fw_ipc_mutex_trylock(self.raw()) }, DURING)
    }

    /// The same, waiting for that time at most.
    ///
    /// # Errors
    /// [`LockError::TimedOut`], and as for [`lock`](Self::lock).
    pub fn try_lock_for(&self, timeout: Duration) -> CopyResult<'_, T> {
        self.lock_by(&Deadline::after(timeout))
    }

    /// The same, waiting until that moment at most.
    ///
    /// # Errors
    /// As for [`try_lock_for`](Self::try_lock_for).
    pub fn try_lock_until(&self, deadline: Instant) -> CopyResult<'_, T> {
        self.lock_by(&Deadline::at(deadline))
    }

    fn lock_by(&self, deadline: &Deadline) -> CopyResult<'_, T> {
        let (lock, deadline) = (self.raw(), deadline.as_ptr());
        // SAFETY: as above; null is no policy, and no deadline.
        let result = unsafe { sys::fw_ipc_mutex_lock_policy(lock, ptr::null(), deadline) };
        Guard::after(self, result, DURING)
    }

    /// Takes the mutex, and lets `repair` restore the data if its owner died (or a panic left them
    /// half changed: then there is no death).
    ///
    /// # Errors
    /// What remains: the lock is not held.
    pub fn lock_or_repair(
        &self,
        repair: impl FnOnce(&mut T, Option<&Death>),
    ) -> Result<CopyGuard<'_, T>, Error> {
        repaired(self.lock(), repair)
    }

    /// Registers a repair function, for this process, as
    /// [`Mutex::on_death`](super::Mutex::on_death); `repair` changes a copy.
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
        let result = unsafe { sys::fw_ipc_mutex_on_death(self.raw(), Some(call), arg) };
        check(result, "register a repair function")
    }

    /// Unregisters it.
    pub fn no_repair(&self) {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_mutex_on_death(self.raw(), None, ptr::null_mut()) };
    }

    /// Which thread holds it.  Takes no participant slot, and changes nothing.
    ///
    /// # Errors
    /// [`Corrupted`](super::ErrorKind::Corrupted): it was overwritten.
    pub fn state(&self) -> Result<LockState, Error> {
        // SAFETY: as above, and a place for the result.
        state_of(|state| unsafe { sys::fw_ipc_mutex_state(self.raw(), state) })
    }

    /// The last owner that died, if any has.
    pub fn last_death(&self) -> Option<Death> {
        last_death(self)
    }
}

impl<T: ShmSafe> Guard<'_, CopyMutex<T>> {
    /// A copy of the data.
    ///
    /// # Errors
    /// [`InvalidData`](super::ErrorKind::InvalidData): the bytes are no valid value, or were
    /// changed by somebody who does not hold the lock.
    pub fn read(&self) -> Result<T, Error> {
        let invalid = || Error::of_kind(ErrorKind::InvalidData, "read the data");
        // SAFETY: in a region that is open; objects are aligned to 64 bytes.
        unsafe { shm::read(self.lock.data()) }.ok_or_else(invalid)
    }

    /// Replaces the data; the journal, if there is one, has recorded the old ones.
    ///
    /// # Panics
    /// If the lock has a journal that is too small for all data at once, or was overwritten.
    pub fn write(&mut self, value: T) {
        self.record_or_panic();
        CopyMutex::replace(self.lock.data(), value);
    }
}

impl<T: ShmSafe> Exclusive for CopyMutex<T> {
    type Data = T;

    exclusive_parts!();
    exclusive_calls!(
        fw_ipc_mutex_unlock,
        fw_ipc_mutex_consistent,
        fw_ipc_mutex_generation,
        fw_ipc_mutex_death
    );

    fn is_value(data: NonNull<T>) -> bool {
        // SAFETY: in a region that is open, and a guard or a repair function of its own there.
        unsafe { shm::read(data) }.is_some()
    }

    fn with<R>(data: NonNull<T>, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        // SAFETY: in a region that is open, as its guard or repair function is.
        unsafe {
            let mut copy = shm::read(data)?;
            let result = change(&mut copy);
            shm::write(data, copy);
            Some(result)
        }
    }

    fn replace(data: NonNull<T>, value: T) {
        // SAFETY: as above.
        unsafe { shm::write(data, value) }
    }
}

impl<T: ShmSafe> fmt::Debug for CopyMutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyMutex").finish_non_exhaustive()
    }
}

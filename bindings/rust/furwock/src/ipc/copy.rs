// SPDX-License-Identifier: MIT
//! Data in a region whose participants are not trusted.

use std::fmt;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;

use crate::deadline::Deadline;

use super::error::{check, Death, Error, ErrorKind};
use super::guard::{last_death, Exclusive, Guard};
use super::holder::Holder;
use super::lock_error::{repaired, LockError};
use super::lock_options::{LockOptions, Parts};
use super::mutex::Shared;
use super::on_death::leaked;
use super::region::UntrustedRegion;
use super::shm::{self, ShmSafe};
use super::state::{state_of, LockState};

/// A mutex and its data in a region whose other participants are not trusted: the data are copied
/// and checked, and there are no references to them.
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

    mutex_methods! {
        CopyGuard, CopyResult;
        /// Takes the mutex, waiting for it if need be: forever, if a hostile participant holds it.
        lock;
        /// Registers a repair function, for this process, as
        /// [`Mutex::on_death`](super::Mutex::on_death); `repair` changes a copy.
        ///
        /// # Errors
        /// [`NoSpace`](super::ErrorKind::NoSpace): no memory.
        on_death;
        /// The last owner that died, if any has.
        last_death;
    }
}

impl<T: ShmSafe, H: Holder> Guard<'_, CopyMutex<T>, H> {
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
        fw_ipc_mutex_death;
        fw_await_ipc_mutex,
        fw_task_ipc_mutex_unlock,
        fw_task_ipc_mutex_consistent
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

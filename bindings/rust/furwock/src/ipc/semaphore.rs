// SPDX-License-Identifier: MIT
//! A counting semaphore whose units have no owners.

use std::fmt;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;

use crate::deadline::Deadline;

use super::error::{check, errno, Error};
use super::region::{Creation, UntrustedRegion};

/// A semaphore of a region, which the death of a process cannot break.
///
/// Units have no owners: one that a process has taken is lost if the process dies.  That is right
/// for what is produced and consumed (the number of jobs in a queue); for what is lent and must
/// come back: [`Permits`](super::Permits).
///
/// ```
/// # let name = format!("/furwock-doc-semaphore-{}", std::process::id());
/// use furwock::ipc::{Region, Semaphore};
///
/// let region = Region::options().create(true).open_untrusted(&name)?;
/// # Region::remove(&name)?;
/// let jobs = Semaphore::open_or_create(&region, "jobs", 0, Semaphore::MAX)?;
/// jobs.release(2)?;
/// jobs.acquire()?;
/// assert!(jobs.try_acquire()?);
/// assert!(!jobs.try_acquire()?);
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct Semaphore {
    _region: UntrustedRegion,
    sem: NonNull<sys::fw_ipc_sem>,
}

// SAFETY: the calls of C may be made by any thread.
unsafe impl Send for Semaphore {}
// SAFETY: the same.
unsafe impl Sync for Semaphore {}

const ACQUIRE: &str = "take a unit of the semaphore";

impl Semaphore {
    /// The largest value that a semaphore can have.
    pub const MAX: u32 = sys::FW_IPC_SEM_MAX;

    /// The semaphore of that name, whatever its maximum.
    ///
    /// # Errors
    /// [`NotFound`](super::ErrorKind::NotFound), [`Mismatch`](super::ErrorKind::Mismatch),
    /// [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn open(region: &UntrustedRegion, name: &str) -> Result<Self, Error> {
        Self::with(region, name, 0, 0, Creation::Never)
    }

    /// The semaphore of that name and maximum; a new one, of that value, if there is none.
    ///
    /// # Errors
    /// As for [`open`](Self::open); [`Mismatch`](super::ErrorKind::Mismatch) also if it has another
    /// maximum; [`InvalidInput`](super::ErrorKind::InvalidInput) unless
    /// `value <= max`, `0 < max <= MAX`; [`NoSpace`](super::ErrorKind::NoSpace),
    /// [`NoSlot`](super::ErrorKind::NoSlot).
    pub fn open_or_create(
        region: &UntrustedRegion,
        name: &str,
        value: u32,
        max: u32,
    ) -> Result<Self, Error> {
        if max == 0 || value > max {
            return Err(Error::named(errno::EINVAL, "create the semaphore", name));
        }
        Self::with(region, name, value, max, Creation::IfMissing)
    }

    fn with(
        region: &UntrustedRegion,
        name: &str,
        value: u32,
        max: u32,
        how: Creation,
    ) -> Result<Self, Error> {
        let sem = region.find(name, |region, name, sem| {
            // SAFETY: an open region, a C string, a place for the result.
            unsafe { sys::fw_region_sem(region, name, value, max, how.flags(), sem) }
        })?;
        Ok(Self { _region: region.clone(), sem })
    }

    /// Takes a unit, waiting for one if need be.
    ///
    /// # Errors
    /// [`NoSlot`](super::ErrorKind::NoSlot), [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn acquire(&self) -> Result<(), Error> {
        // SAFETY: in a region that is open.
        check(unsafe { sys::fw_ipc_sem_wait(self.sem.as_ptr()) }, ACQUIRE)
    }

    pub(super) fn raw(&self) -> *mut sys::fw_ipc_sem {
        self.sem.as_ptr()
    }

    /// Takes a unit if there is one; false: there is none.
    ///
    /// # Errors
    /// [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn try_acquire(&self) -> Result<bool, Error> {
        // SAFETY: as above.
        match unsafe { sys::fw_ipc_sem_trywait(self.sem.as_ptr()) } {
            errno::EAGAIN => Ok(false),
            result => check(result, ACQUIRE).map(|()| true),
        }
    }

    /// Takes a unit, waiting for that time at most; false: there was none.
    ///
    /// # Errors
    /// As for [`acquire`](Self::acquire).
    pub fn try_acquire_for(&self, timeout: Duration) -> Result<bool, Error> {
        self.acquire_by(&Deadline::after(timeout))
    }

    /// Takes a unit, waiting until that moment at most; false: there was none.
    ///
    /// # Errors
    /// As for [`acquire`](Self::acquire).
    pub fn try_acquire_until(&self, deadline: Instant) -> Result<bool, Error> {
        self.acquire_by(&Deadline::at(deadline))
    }

    fn acquire_by(&self, deadline: &Deadline) -> Result<bool, Error> {
        let (sem, deadline) = (self.sem.as_ptr(), deadline.as_ptr());
        // SAFETY: as above; null is no policy, and no deadline.
        match unsafe { sys::fw_ipc_sem_wait_policy(sem, ptr::null(), deadline) } {
            errno::ETIMEDOUT => Ok(false),
            result => check(result, ACQUIRE).map(|()| true),
        }
    }

    /// Adds `n` units, in one step.
    ///
    /// # Errors
    /// [`Overflow`](super::ErrorKind::Overflow): the value would exceed the maximum, and none was
    /// added.
    pub fn release(&self, n: u32) -> Result<(), Error> {
        // SAFETY: as above.
        let result = unsafe { sys::fw_ipc_sem_post_n(self.sem.as_ptr(), n) };
        check(result, "add units to the semaphore")
    }

    /// A snapshot of the number of units.
    pub fn value(&self) -> u32 {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_sem_value(self.sem.as_ptr()) }
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semaphore").field("value", &self.value()).finish_non_exhaustive()
    }
}

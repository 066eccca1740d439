// SPDX-License-Identifier: MIT
//! A semaphore with owned permits: those of a dead holder are returned.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;

use crate::deadline::Deadline;

use super::error::{check, errno, Error};
use super::holder::{HeldByThread, Holder};
use super::region::{Creation, UntrustedRegion};

/// A fixed number of permits of a region, numbered from 0, which threads of any processes borrow:
/// licences, connections, slots of a table.  Those of a thread that dies are available to others
/// at once.
///
/// ```
/// # let name = format!("/furwock-doc-permits-{}", std::process::id());
/// use furwock::ipc::{Permits, Region};
///
/// let region = Region::options().create(true).open_untrusted(&name)?;
/// # Region::remove(&name)?;
/// let connections = Permits::open_or_create(&region, "connections", 4)?;
/// let mine = connections.acquire()?;
/// if mine.previous_owner_died() {
///     println!("connection {} must be opened anew", mine.index());
/// }
/// assert_eq!(connections.available(), 3);
/// drop(mine);
/// assert_eq!(connections.available(), 4);
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct Permits {
    _region: UntrustedRegion,
    permits: NonNull<sys::fw_ipc_permits>,
}

// SAFETY: the calls of C may be made by any thread.
unsafe impl Send for Permits {}
// SAFETY: the same.
unsafe impl Sync for Permits {}

const ACQUIRE: &str = "take a permit";

impl Permits {
    /// The largest number of permits.
    pub const MAX: u32 = sys::FW_IPC_PERMITS_MAX;

    /// The permits of that name, however many.
    ///
    /// # Errors
    /// [`NotFound`](super::ErrorKind::NotFound), [`Mismatch`](super::ErrorKind::Mismatch),
    /// [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn open(region: &UntrustedRegion, name: &str) -> Result<Self, Error> {
        Self::with(region, name, 0, Creation::Never)
    }

    /// The `n` permits of that name; new ones if there are none.
    ///
    /// # Errors
    /// As for [`open`](Self::open); [`Mismatch`](super::ErrorKind::Mismatch) also if there are more
    /// or fewer; [`InvalidInput`](super::ErrorKind::InvalidInput) unless `0 < n <= MAX`;
    /// [`NoSpace`](super::ErrorKind::NoSpace), [`NoSlot`](super::ErrorKind::NoSlot).
    pub fn open_or_create(region: &UntrustedRegion, name: &str, n: u32) -> Result<Self, Error> {
        if n == 0 {
            return Err(Error::named(errno::EINVAL, "create permits", name));
        }
        Self::with(region, name, n, Creation::IfMissing)
    }

    fn with(region: &UntrustedRegion, name: &str, n: u32, how: Creation) -> Result<Self, Error> {
        let permits = region.find(name, |region, name, permits| {
            // SAFETY: an open region, a C string, a place for the result.
            unsafe { sys::fw_region_permits(region, name, n, how.flags(), permits) }
        })?;
        Ok(Self { _region: region.clone(), permits })
    }

    /// Borrows a permit, waiting for one if need be.  A thread that holds all waits forever.
    ///
    /// # Errors
    /// [`NoSlot`](super::ErrorKind::NoSlot), [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn acquire(&self) -> Result<Permit<'_>, Error> {
        self.take(ptr::null())
    }

    /// Borrows a permit if one is free or its holder is dead.
    ///
    /// # Errors
    /// [`TimedOut`](super::ErrorKind::TimedOut): there is none; and as for
    /// [`acquire`](Self::acquire).
    pub fn try_acquire(&self) -> Result<Permit<'_>, Error> {
        self.try_acquire_for(Duration::ZERO)
    }

    /// Borrows a permit, waiting for that time at most.
    ///
    /// # Errors
    /// As for [`try_acquire`](Self::try_acquire).
    pub fn try_acquire_for(&self, timeout: Duration) -> Result<Permit<'_>, Error> {
        self.take(Deadline::after(timeout).as_ptr())
    }

    /// Borrows a permit, waiting until that moment at most.
    ///
    /// # Errors
    /// As for [`try_acquire`](Self::try_acquire).
    pub fn try_acquire_until(&self, deadline: Instant) -> Result<Permit<'_>, Error> {
        self.take(Deadline::at(deadline).as_ptr())
    }

    fn take(&self, deadline: *const furwock_sys::fw_deadline) -> Result<Permit<'_>, Error> {
        let mut index = 0;
        // SAFETY: in a region that is open, a place for the result; null is no policy, and no
        // deadline.
        let result = unsafe {
            sys::fw_ipc_permits_take(self.permits.as_ptr(), &mut index, ptr::null(), deadline)
        };
        Permit::after(self, HeldByThread::new(), result, || index)
    }

    pub(super) fn raw(&self) -> *mut sys::fw_ipc_permits {
        self.permits.as_ptr()
    }

    /// Gives back one of the calling thread's.
    pub(super) fn give(&self, index: u32) -> i32 {
        // SAFETY: in a region that is open.
        unsafe { sys::fw_ipc_permits_give(self.raw(), index) }
    }

    /// Gives back one of a task's.
    pub(super) fn give_for(&self, index: u32, task: furwock_sys::fw_task) -> i32 {
        // SAFETY: as above.
        unsafe { sys::fw_task_ipc_permits_give(self.raw(), index, task) }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_permits_count(self.permits.as_ptr()) }
    }

    /// A snapshot of how many could be borrowed.
    pub fn available(&self) -> u32 {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_permits_value(self.permits.as_ptr()) }
    }

    /// How many the calling thread holds.
    pub fn held_by_me(&self) -> u32 {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_permits_held_by_me(self.permits.as_ptr()) }
    }
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permits").field("available", &self.available()).finish_non_exhaustive()
    }
}

/// A borrowed permit; dropping it gives it back.
///
/// It belongs to the thread that has borrowed it, or to the task
/// ([`HeldByTask`](super::HeldByTask)).  A forked child holds nothing.
#[must_use = "dropping the permit gives it back"]
#[derive(Debug)]
pub struct Permit<'a, H: Holder = HeldByThread> {
    permits: &'a Permits,
    index: u32,
    previous_owner_died: bool,
    holder: H,
}

impl<'a, H: Holder> Permit<'a, H> {
    /// What a call of C returned; which permit it is, if it took one.
    pub(super) fn after(
        permits: &'a Permits,
        holder: H,
        result: i32,
        index: impl FnOnce() -> u32,
    ) -> Result<Self, Error> {
        match result {
            0 | errno::EOWNERDEAD => {
                Ok(Self { permits, index: index(), previous_owner_died: result != 0, holder })
            }
            _ => Err(Error::new(result, ACQUIRE)),
        }
    }

    /// Its number, from 0.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Did the previous owner die with it?  Then what it stands for may need repair.
    pub fn previous_owner_died(&self) -> bool {
        self.previous_owner_died
    }

    /// Gives it back, as dropping does, and says whether that went well.
    ///
    /// # Errors
    /// [`NotPermitted`](super::ErrorKind::NotPermitted): this is a forked child, which does not
    /// hold it.
    pub fn release(self) -> Result<(), Error> {
        let mut this = ManuallyDrop::new(self);
        let result = this.holder.give(this.permits, this.index);
        // SAFETY: once, and not used again.
        unsafe { ptr::drop_in_place(&mut this.holder) };
        check(result, "give the permit back")
    }
}

impl<H: Holder> Drop for Permit<'_, H> {
    fn drop(&mut self) {
        self.holder.give(self.permits, self.index); // not held after a fork
    }
}

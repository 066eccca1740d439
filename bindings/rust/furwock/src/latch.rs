// SPDX-License-Identifier: MIT
//! `fw_latch`.

use core::cell::UnsafeCell;
use core::fmt;
use core::time::Duration;

use crate::sys;

use crate::deadline::Deadline;

/// A count that goes down to zero, once: then it is open, and stays so.
///
/// Counting below zero ends the process with a message.
///
/// ```
/// use furwock::Latch;
///
/// let done = Latch::new(3);
/// std::thread::scope(|scope| {
///     for _ in 0..3 {
///         scope.spawn(|| done.count_down(1));
///     }
///     done.wait();
/// });
/// assert!(done.is_open());
/// ```
pub struct Latch(UnsafeCell<sys::fw_latch>);

// SAFETY: fw_latch is made to be used by several threads at once, and does not know its address
// while no thread uses it.
unsafe impl Send for Latch {}
// SAFETY: as above; all access is through C functions that take its address.
unsafe impl Sync for Latch {}

impl Latch {
    /// The most that it can count.
    pub const MAX: u32 = sys::FW_LATCH_MAX;

    /// A latch with that count; 0: it is open.
    ///
    /// # Panics
    ///
    /// If `count` is above [`Latch::MAX`].
    #[must_use]
    pub const fn new(count: u32) -> Self {
        assert!(count <= Self::MAX, "a latch counts Latch::MAX at most");
        Self(UnsafeCell::new(sys::FW_LATCH_INIT(count)))
    }

    /// The latch for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_latch {
        self.0.get()
    }

    /// Counts `n` down, and releases all waiters when the count becomes zero.
    pub fn count_down(&self, n: u32) {
        // SAFETY: the latch is initialised, and lives as long as self.
        unsafe { sys::fw_latch_count_down(self.as_ptr(), n) }
    }

    /// Has the count become zero?  What was done before it was counted down is visible then.
    pub fn is_open(&self) -> bool {
        // SAFETY: as in count_down.
        unsafe { sys::fw_latch_trywait(self.as_ptr()) == 0 }
    }

    /// Waits until it is open.
    pub fn wait(&self) {
        // SAFETY: as in count_down.
        unsafe { sys::fw_latch_wait(self.as_ptr()) }
    }

    /// Waits that long at most; false if the time has passed.
    pub fn wait_for(&self, timeout: Duration) -> bool {
        self.timed(Deadline::after(timeout))
    }

    /// The same, until that moment at most.
    #[cfg(feature = "std")]
    pub fn wait_until(&self, timeout: std::time::Instant) -> bool {
        self.timed(Deadline::at(timeout))
    }

    fn timed(&self, deadline: Deadline) -> bool {
        // SAFETY: as in count_down; the deadline outlives the call.
        unsafe { sys::fw_latch_timedwait(self.as_ptr(), deadline.as_ptr()) == 0 }
    }

    /// Counts `n` down, and waits until it is open.
    pub fn arrive_and_wait(&self, n: u32) {
        // SAFETY: as in count_down.
        unsafe { sys::fw_latch_arrive_and_wait(self.as_ptr(), n) }
    }
}

impl fmt::Debug for Latch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Latch").field("is_open", &self.is_open()).finish_non_exhaustive()
    }
}

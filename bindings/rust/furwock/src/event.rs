// SPDX-License-Identifier: MIT
//! `fw_event`.

use core::cell::UnsafeCell;
use core::fmt;
use core::time::Duration;

use crate::sys;

use crate::deadline::Deadline;

/// A flag that threads wait for.
///
/// A *manual* event stays set until it is reset: all waits return.  An *automatic* one releases
/// exactly one thread for each time it is set.  Setting an event that is set changes nothing.
///
/// ```
/// use furwock::Event;
///
/// static READY: Event = Event::manual();
///
/// std::thread::scope(|scope| {
///     scope.spawn(|| READY.wait());
///     scope.spawn(|| READY.wait());
///     READY.set();
/// });
/// assert!(READY.is_set());
/// ```
pub struct Event(UnsafeCell<sys::fw_event>);

// SAFETY: fw_event is made to be used by several threads at once, and does not know its address
// while no thread uses it.
unsafe impl Send for Event {}
// SAFETY: as above; all access is through C functions that take its address.
unsafe impl Sync for Event {}

impl Event {
    /// One that is not set, and that stays set until it is reset.
    #[must_use]
    pub const fn manual() -> Self {
        Self(UnsafeCell::new(sys::FW_EVENT_INIT))
    }

    /// One that is not set, and of which a wait that returns resets it.
    #[must_use]
    pub const fn automatic() -> Self {
        Self(UnsafeCell::new(sys::FW_EVENT_INIT_AUTO))
    }

    /// The event for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_event {
        self.0.get()
    }

    /// Sets it, and wakes the waiters that this releases.
    pub fn set(&self) {
        // SAFETY: the event is initialised, and lives as long as self.
        unsafe { sys::fw_event_set(self.as_ptr()) }
    }

    /// Resets it.
    pub fn reset(&self) {
        // SAFETY: as in set.
        unsafe { sys::fw_event_reset(self.as_ptr()) }
    }

    /// Is it set?  A snapshot, which resets nothing.
    pub fn is_set(&self) -> bool {
        // SAFETY: as in set.
        unsafe { sys::fw_event_is_set(self.as_ptr()) }
    }

    /// Waits until it is set; resets an automatic one.
    pub fn wait(&self) {
        // SAFETY: as in set.
        unsafe { sys::fw_event_wait(self.as_ptr()) }
    }

    /// Is it set?  Resets an automatic one then.
    pub fn try_wait(&self) -> bool {
        // SAFETY: as in set.
        unsafe { sys::fw_event_trywait(self.as_ptr()) == 0 }
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
        // SAFETY: as in set; the deadline outlives the call.
        unsafe { sys::fw_event_timedwait(self.as_ptr(), deadline.as_ptr()) == 0 }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("is_set", &self.is_set()).finish_non_exhaustive()
    }
}

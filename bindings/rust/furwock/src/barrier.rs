// SPDX-License-Identifier: MIT
//! `fw_barrier`.

use core::cell::UnsafeCell;
use core::fmt;

use crate::sys;

/// A number of threads, its participants, wait for each other, again and again.
///
/// More arrivals than participants are an error in the program, which ends with a message if they
/// can be told from arrivals for the next phase.  After a fork the child must make a new one.
///
/// ```
/// use furwock::Barrier;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// static STEP: Barrier = Barrier::new(3);
/// static LEADERS: AtomicU32 = AtomicU32::new(0);
///
/// std::thread::scope(|scope| {
///     for _ in 0..3 {
///         scope.spawn(|| {
///             if STEP.wait().is_leader() {
///                 LEADERS.fetch_add(1, Ordering::Relaxed);
///             }
///         });
///     }
/// });
/// assert_eq!(LEADERS.load(Ordering::Relaxed), 1);
/// ```
pub struct Barrier(UnsafeCell<sys::fw_barrier>);

// SAFETY: fw_barrier is made to be used by several threads at once, and does not know its address
// while no thread uses it.
unsafe impl Send for Barrier {}
// SAFETY: as above; all access is through C functions that take its address.
unsafe impl Sync for Barrier {}

/// What [`Barrier::wait`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierWaitResult {
    is_leader: bool,
}

impl BarrierWaitResult {
    /// True in one thread of each phase: the last to arrive.
    #[must_use]
    pub fn is_leader(self) -> bool {
        self.is_leader
    }
}

impl Barrier {
    /// The largest number of participants.
    pub const MAX: u32 = sys::FW_BARRIER_MAX;

    /// A barrier for that many threads.
    ///
    /// # Panics
    ///
    /// If `participants` is 0 or above [`Barrier::MAX`].
    #[must_use]
    pub const fn new(participants: u32) -> Self {
        assert!(
            participants > 0 && participants <= Self::MAX,
            "a barrier has 1 to Barrier::MAX participants"
        );
        Self(UnsafeCell::new(sys::FW_BARRIER_INIT(participants)))
    }

    /// The barrier for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_barrier {
        self.0.get()
    }

    /// Arrives, and waits until all have.
    pub fn wait(&self) -> BarrierWaitResult {
        // SAFETY: the barrier is initialised, and lives as long as self.
        let result = unsafe { sys::fw_barrier_wait(self.as_ptr()) };
        BarrierWaitResult { is_leader: result == sys::FW_BARRIER_SERIAL }
    }

    /// Arrives, and does not wait: this or another thread may, later.
    pub fn arrive(&self) -> Arrival<'_> {
        // SAFETY: as in wait.
        Arrival { barrier: self, phase: unsafe { sys::fw_barrier_arrive(self.as_ptr()) } }
    }

    /// Arrives, and takes no part in the phases that follow.
    pub fn arrive_and_drop(&self) {
        // SAFETY: as in wait.
        unsafe { sys::fw_barrier_drop(self.as_ptr()) }
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

/// An arrival at a [`Barrier`], with which a thread can wait for the end of that phase.
#[derive(Debug)]
pub struct Arrival<'a> {
    barrier: &'a Barrier,
    phase: u32,
}

impl Arrival<'_> {
    /// Waits until all have arrived.  The phase must be the barrier's current or previous one: wait
    /// before whoever arrived arrives again twice.
    pub fn wait(self) {
        // SAFETY: the barrier lives as long as self; a stale phase is a wait for another one.
        unsafe { sys::fw_barrier_await(self.barrier.as_ptr(), self.phase) }
    }
}

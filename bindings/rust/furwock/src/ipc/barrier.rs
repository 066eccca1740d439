// SPDX-License-Identifier: MIT
//! A barrier between processes.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;

use crate::deadline::Deadline;

use super::error::{check, Death, Error};
use super::region::{Creation, UntrustedRegion};

/// What the death of a participant does to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierMode {
    /// The barrier breaks: all waiters and all later calls get
    /// [`OwnerDied`](super::ErrorKind::OwnerDied), until it is [reset](Barrier::reset).
    Fail,
    /// The others go on without it.
    GoOn,
}

/// A reusable barrier of a region: its participants, threads of any processes, wait for each other
/// in every phase.
///
/// A thread becomes a participant by its first wait, or before that by [`join`](Barrier::join),
/// and is one until it [leaves](Barrier::leave) or dies.  A process that dies before its first call
/// is none yet, and the others wait for one more: join early, or wait with a deadline.
///
/// ```
/// # let name = format!("/furwock-doc-barrier-{}", std::process::id());
/// use furwock::ipc::{Barrier, BarrierMode, Region};
///
/// let region = Region::options().create(true).open_untrusted(&name)?;
/// # Region::remove(&name)?;
/// let step = Barrier::open_or_create(&region, "step", 2, BarrierMode::Fail)?;
/// std::thread::scope(|scope| {
///     let other = scope.spawn(|| step.wait().unwrap().is_leader());
///     let am_leader = step.wait().unwrap().is_leader();
///     assert!(am_leader != other.join().unwrap());
/// });
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct Barrier {
    _region: UntrustedRegion,
    barrier: NonNull<sys::fw_ipc_barrier>,
}

// SAFETY: the calls of C may be made by any thread.
unsafe impl Send for Barrier {}
// SAFETY: the same.
unsafe impl Sync for Barrier {}

/// A phase has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierWaitResult {
    is_leader: bool,
}

impl BarrierWaitResult {
    /// True for exactly one of the threads that wait for the end of a phase (for none if that
    /// thread is killed before its call returns).
    pub fn is_leader(&self) -> bool {
        self.is_leader
    }
}

/// An arrival, to wait for the end of its phase later; for the thread that arrived.
#[derive(Debug)]
#[must_use = "the phase's end can be waited for with this"]
pub struct Arrival {
    token: u64,
    of_this_thread: PhantomData<*mut ()>,
}

const WAIT: &str = "wait at the barrier";

impl Barrier {
    /// The largest number of participants.
    pub const MAX: u32 = sys::FW_IPC_BARRIER_MAX;

    /// The barrier of that name, whatever its number and mode.
    ///
    /// # Errors
    /// [`NotFound`](super::ErrorKind::NotFound), [`Mismatch`](super::ErrorKind::Mismatch),
    /// [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn open(region: &UntrustedRegion, name: &str) -> Result<Self, Error> {
        Self::with(region, name, 0, BarrierMode::Fail, Creation::Never)
    }

    /// The barrier of that name for that many participants, with that mode; a new one if there is
    /// none.
    ///
    /// # Errors
    /// As for [`open`](Self::open); [`Mismatch`](super::ErrorKind::Mismatch) also if it has another
    /// number or mode; [`InvalidInput`](super::ErrorKind::InvalidInput) unless
    /// `0 < parties <= MAX`; [`NoSpace`](super::ErrorKind::NoSpace),
    /// [`NoSlot`](super::ErrorKind::NoSlot).
    pub fn open_or_create(
        region: &UntrustedRegion,
        name: &str,
        parties: u32,
        mode: BarrierMode,
    ) -> Result<Self, Error> {
        if parties == 0 {
            return Err(Error::named(super::error::errno::EINVAL, "create the barrier", name));
        }
        Self::with(region, name, parties, mode, Creation::IfMissing)
    }

    fn with(
        region: &UntrustedRegion,
        name: &str,
        parties: u32,
        mode: BarrierMode,
        how: Creation,
    ) -> Result<Self, Error> {
        let mode = match mode {
            BarrierMode::Fail => sys::FW_IPC_BARRIER_FAIL,
            BarrierMode::GoOn => sys::FW_IPC_BARRIER_GO_ON,
        };
        let barrier = region.find(name, |region, name, barrier| {
            // SAFETY: an open region, a C string, a place for the result.
            unsafe { sys::fw_region_barrier(region, name, parties, mode, how.flags(), barrier) }
        })?;
        Ok(Self { _region: region.clone(), barrier })
    }

    /// Becomes a participant, if the calling thread is none: its death is noticed from now on.
    ///
    /// # Errors
    /// [`WouldBlock`](super::ErrorKind::WouldBlock): there are as many as there can be;
    /// [`OwnerDied`](super::ErrorKind::OwnerDied): one died, and the barrier is broken;
    /// [`NoSlot`](super::ErrorKind::NoSlot), [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn join(&self) -> Result<(), Error> {
        // SAFETY: in a region that is open.
        check(unsafe { sys::fw_ipc_barrier_join(self.barrier.as_ptr()) }, "join the barrier")
    }

    /// No longer takes part: the others do not wait for the calling thread.
    ///
    /// # Errors
    /// [`NotPermitted`](super::ErrorKind::NotPermitted): it does not take part.
    pub fn leave(&self) -> Result<(), Error> {
        // SAFETY: as above.
        check(unsafe { sys::fw_ipc_barrier_leave(self.barrier.as_ptr()) }, "leave the barrier")
    }

    /// Arrives, and waits until all have.
    ///
    /// # Errors
    /// As for [`join`](Self::join); [`Deadlock`](super::ErrorKind::Deadlock): the thread has
    /// arrived already ([`arrive`](Self::arrive)).
    pub fn wait(&self) -> Result<BarrierWaitResult, Error> {
        // SAFETY: as above.
        waited(unsafe { sys::fw_ipc_barrier_wait(self.barrier.as_ptr()) })
    }

    /// The same, for that time at most.
    ///
    /// # Errors
    /// [`TimedOut`](super::ErrorKind::TimedOut): it has not arrived, and still takes part; and as
    /// for [`wait`](Self::wait).
    pub fn wait_for(&self, timeout: Duration) -> Result<BarrierWaitResult, Error> {
        self.wait_by(&Deadline::after(timeout))
    }

    /// The same, until that moment at most.
    ///
    /// # Errors
    /// As for [`wait_for`](Self::wait_for).
    pub fn wait_until(&self, deadline: Instant) -> Result<BarrierWaitResult, Error> {
        self.wait_by(&Deadline::at(deadline))
    }

    fn wait_by(&self, deadline: &Deadline) -> Result<BarrierWaitResult, Error> {
        let (barrier, deadline) = (self.barrier.as_ptr(), deadline.as_ptr());
        // SAFETY: as above; null is no policy, and no deadline.
        waited(unsafe { sys::fw_ipc_barrier_wait_policy(barrier, ptr::null(), deadline) })
    }

    /// Arrives, and does not wait.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn arrive(&self) -> Result<Arrival, Error> {
        let mut token = 0;
        // SAFETY: as above, and a place for the result.
        let result = unsafe { sys::fw_ipc_barrier_arrive(self.barrier.as_ptr(), &mut token) };
        check(result, "arrive at the barrier")?;
        Ok(Arrival { token, of_this_thread: PhantomData })
    }

    /// Waits for the end of the phase in which the thread has arrived; it must not have left since.
    ///
    /// # Errors
    /// As for [`join`](Self::join).
    pub fn await_end(&self, arrival: Arrival) -> Result<(), Error> {
        // SAFETY: as above.
        check(unsafe { sys::fw_ipc_barrier_await(self.barrier.as_ptr(), arrival.token) }, WAIT)
    }

    /// After a failure: as new, in its next phase, without participants.
    ///
    /// # Errors
    /// [`NoSlot`](super::ErrorKind::NoSlot), [`Corrupted`](super::ErrorKind::Corrupted).
    pub fn reset(&self) -> Result<(), Error> {
        // SAFETY: as above.
        check(unsafe { sys::fw_ipc_barrier_reset(self.barrier.as_ptr()) }, "reset the barrier")
    }

    /// A snapshot of the number of the current phase, modulo 2^30.
    pub fn phase(&self) -> u32 {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_barrier_round(self.barrier.as_ptr()) }
    }

    /// A participant that died and whose place has not been taken since.
    pub fn death(&self) -> Option<Death> {
        let mut death = sys::fw_ipc_death::default();
        // SAFETY: as above, and a place for the result.
        let result = unsafe { sys::fw_ipc_barrier_death(self.barrier.as_ptr(), &mut death) };
        (result == 0).then(|| death.into())
    }
}

fn waited(result: i32) -> Result<BarrierWaitResult, Error> {
    let is_leader = result == sys::FW_IPC_BARRIER_SERIAL;
    if !is_leader {
        check(result, WAIT)?;
    }
    Ok(BarrierWaitResult { is_leader })
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").field("phase", &self.phase()).finish_non_exhaustive()
    }
}

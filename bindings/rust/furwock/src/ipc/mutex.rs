// SPDX-License-Identifier: MIT
//! Mutual exclusion between processes.

use std::fmt;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;

use crate::deadline::Deadline;

use super::error::{check, Death, Error};
use super::guard::{
    is_value_in_place, last_death, replace_in_place, with_in_place, Exclusive, Guard, InPlace,
};
use super::lock_error::{repaired, LockError};
use super::lock_options::{LockOptions, Parts};
use super::on_death::leaked;
use super::region::Region;
use super::shm::ShmSafe;
use super::state::{state_of, LockState};

/// A mutex and its data in a [`Region`], for threads of any processes, robust against the death of
/// its owner.
///
/// If the owner dies (killed, ended, exec), the next one takes the lock at once, and is told:
/// [`LockError::OwnerDied`].  With a [journal](LockOptions::journal) or a repair function
/// ([`on_death`](Mutex::on_death)) the data are restored first, and nothing is reported.  A stopped
/// owner is not dead: the others wait.
///
/// The owner is a thread: one that ends, or is forgotten with `mem::forget`ted guards, counts as
/// dead when it ends.  Not recursive.
///
/// The bytes are checked whenever the lock is taken, which costs nothing for types of which all
/// bytes are values (integers and what consists of them), and a pass over the data for others.
///
/// ```
/// # let name = format!("/furwock-doc-mutex-{}", std::process::id());
/// use furwock::ipc::{LockError, Mutex, Region};
/// use zerocopy::{IntoBytes, KnownLayout, TryFromBytes};
///
/// #[derive(TryFromBytes, IntoBytes, KnownLayout, Default)]
/// #[repr(C)]
/// struct Tally {
///     count: u64,
///     sum: u64,
/// }
///
/// // SAFETY: only this program uses the region.
/// let region = unsafe { Region::options().create(true).open(&name) }?;
/// # Region::remove(&name)?;
/// let tally = Mutex::open_or_create(&region, "tally", Tally::default())?;
///
/// let mut guard = match tally.lock() {
///     Ok(guard) => guard,
///     Err(LockError::OwnerDied(died)) => {
///         eprintln!("{}", died.death());
///         died.repair(|tally, _| *tally = Tally::default()).unwrap()
///     }
///     Err(other) => return Err(other.into_error()),
/// };
/// guard.count += 1;
/// guard.sum += 42;
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct Mutex<T: ShmSafe> {
    pub(super) parts: Parts<sys::fw_ipc_mutex, T>,
}

// SAFETY: a handle is a few addresses; whoever has the lock has the data, as with std's mutex.
unsafe impl<T: ShmSafe> Send for Mutex<T> {}
// SAFETY: the same.
unsafe impl<T: ShmSafe> Sync for Mutex<T> {}

/// The guard of a [`Mutex`].
pub type MutexGuard<'a, T> = Guard<'a, Mutex<T>>;

/// What [`Mutex::lock`] returns.
pub type LockResult<'a, T> = Result<MutexGuard<'a, T>, LockError<MutexGuard<'a, T>>>;

const DURING: &str = "lock the mutex";

impl<T: ShmSafe> Mutex<T> {
    constructors!(Region, "mutex");

    mutex_methods! {
        MutexGuard, LockResult;
        /// Takes the mutex, waiting for it if need be.
        lock;
        /// Registers a repair function, for this process: when a call would return
        /// [`LockError::OwnerDied`], `repair` is called first, with the lock held.  If it returns
        /// true, the data are declared consistent, and the call goes on as if nobody had died; if
        /// it returns false or panics, or if the bytes are no valid value (it is not called then),
        /// the call returns the error.
        ///
        /// The function is kept until the process ends, also if another one is registered: register
        /// once.
        ///
        /// # Errors
        /// [`NoSpace`](super::ErrorKind::NoSpace): no memory.
        on_death;
        /// The last owner that died, if any has: also one after whose death a journal or a repair
        /// function has restored the data.
        last_death;
    }

    /// A snapshot of the number of the current or the last acquisition.
    pub fn generation(&self) -> u64 {
        Exclusive::generation(self)
    }

    /// Is it held by the calling thread?
    pub fn is_held_by_me(&self) -> bool {
        // SAFETY: as above.
        unsafe { sys::fw_ipc_mutex_is_held_by_me(self.raw()) }
    }
}

/// Data of a lock, for a repair function.
pub(super) struct Shared<T>(pub(super) NonNull<T>);

// SAFETY: used by the holder of the lock only.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: the same.
unsafe impl<T> Sync for Shared<T> {}

impl<T: ShmSafe> Shared<T> {
    pub(super) fn repair<L: Exclusive<Data = T>>(
        &self,
        repair: impl Fn(&mut T, &Death) -> bool,
        death: &Death,
    ) -> bool {
        L::with(self.0, |data| repair(data, death)).unwrap_or(false)
    }
}

impl<T: ShmSafe> Exclusive for Mutex<T> {
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
        is_value_in_place(data)
    }

    fn with<R>(data: NonNull<T>, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        with_in_place(data, change)
    }

    fn replace(data: NonNull<T>, value: T) {
        replace_in_place(data, value);
    }
}

impl<T: ShmSafe> InPlace for Mutex<T> {}

impl<T: ShmSafe> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").field("generation", &self.generation()).finish_non_exhaustive()
    }
}

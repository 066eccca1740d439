// SPDX-License-Identifier: MIT
//! Robust locks in memory that processes share.
//!
//! A [`Region`] is a shared-memory object, a file or a memfd, which any number of processes have
//! open, at different addresses.  It has a directory of named objects: [`Mutex`] and [`RwLock`]
//! with their data, [`Condvar`], [`Semaphore`], [`Permits`], [`Barrier`], [`Once`].  Any of the
//! processes may be killed (`kill -9`, a crash, the out-of-memory killer) at any instruction: the
//! others neither hang nor find half-changed data without notice.
//!
//! # What the death of an owner looks like
//!
//! As `std::sync::Mutex` tells of a panic by its `PoisonError`, a lock here tells of a death by
//! [`LockError::OwnerDied`]: the lock is taken, the error has it, and says who died.  There are
//! four ways to go on:
//!
//! ```
//! # let name = format!("/furwock-doc-mod-{}", std::process::id());
//! # use furwock::ipc::{Error, LockError, LockOptions, Mutex, Region};
//! # // SAFETY: nobody else knows the name.
//! # let region = unsafe { Region::options().create(true).size(1 << 20).open(&name) }?;
//! # Region::remove(&name)?;
//! # let mutex = Mutex::open_or_create(&region, "m", 0_u64)?;
//! // 1. Repair where the lock is taken,
//! let guard = mutex.lock_or_repair(|value, death| {
//!     eprintln!("starting again: {death:?}");
//!     *value = 0;
//! })?;
//! # drop(guard);
//! // 2. or decide by the error,
//! let guard = match mutex.lock() {
//!     Ok(guard) => guard,
//!     Err(LockError::OwnerDied(died)) => died.repair(|value, _| *value = 0).unwrap(),
//!     Err(other) => return Err(other.into_error()),
//! };
//! # drop(guard);
//! // 3. or register a repair function once: then `lock` repairs by itself,
//! mutex.on_death(|value, _death| {
//!     *value = 0;
//!     true // consistent
//! })?;
//! // 4. or let a journal restore the data as they were before the dead owner changed them.
//! let with_journal = LockOptions::new().journal(1024);
//! let account = Mutex::open_or_create_with(&region, "account", &with_journal, [100_u64; 2])?;
//! let mut guard = account.lock().unwrap();
//! guard[0] -= 10; // recorded before the change: kill -9 here, and the next one finds 100
//! guard[1] += 10;
//! # Ok::<(), Error>(())
//! ```
//!
//! If [`OwnerDied`] is dropped unrepaired, the lock is unusable for good; the compiler warns of an
//! unused one.  [`LockError`] is therefore not converted by `?`: [`LockError::into_error`] is
//! explicit.
//!
//! # Whom to trust
//!
//! References into shared memory are sound only if all who can write there keep the rules; so
//! [`RegionOptions::open`] is `unsafe`, and says which rules.  Even so, bytes are checked whenever
//! a lock is taken, and what is no value of the type is an error ([`LockError::Invalid`]), not
//! undefined behaviour.  For a region that others may write to as they like,
//! [`RegionOptions::open_untrusted`] is safe: its [`CopyMutex`] copies data out and in, and checks
//! the copies.
//!
//! # Tasks
//!
//! [`Mutex::lock_async`], [`CopyMutex::lock_async`], [`RwLock::read_async`] and
//! [`write_async`](RwLock::write_async), [`Semaphore::acquire_async`], [`Permits::acquire_async`]
//! and [`Condvar::wait_async`] return futures: a task waits, and its thread goes on.
//!
//! ```
//! # let name = format!("/furwock-doc-tasks-{}", std::process::id());
//! # use furwock::ipc::{Error, LockError, Mutex, Region};
//! # use std::{future::Future, pin::pin, sync::Arc, task::{Context, Poll, Wake}, thread};
//! # struct Unpark(thread::Thread);
//! # impl Wake for Unpark {
//! #     fn wake(self: Arc<Self>) {
//! #         self.0.unpark();
//! #     }
//! # }
//! # fn block_on<F: Future>(future: F) -> F::Output {
//! #     let waker = Arc::new(Unpark(thread::current())).into();
//! #     let mut future = pin!(future);
//! #     loop {
//! #         match future.as_mut().poll(&mut Context::from_waker(&waker)) {
//! #             Poll::Ready(value) => return value,
//! #             Poll::Pending => thread::park(),
//! #         }
//! #     }
//! # }
//! async fn add(total: &Mutex<u64>, amount: u64) -> Result<(), Error> {
//!     let mut total = match total.lock_async().await {
//!         Err(LockError::OwnerDied(died)) => died.into_inner(), // one word: old or new
//!         other => other,
//!     }
//!     .map_err(LockError::into_error)?;
//!     *total += amount;
//!     Ok(())
//! }
//!
//! # // SAFETY: nobody else knows the name.
//! let region = unsafe { Region::options().create(true).open(&name) }?;
//! # Region::remove(&name)?;
//! let total = Mutex::open_or_create(&region, "total", 0)?;
//! block_on(add(&total, 5))?; // in any runtime: tokio, smol, futures
//! assert_eq!(*total.lock().unwrap(), 5);
//! # Ok::<(), Error>(())
//! ```
//!
//! - They are the same locks: tasks and threads of any processes may share one.
//! - The futures need no runtime of a certain kind.  Whoever releases a lock in this process calls
//!   the waker of the task that gets it.  What other processes hold is waited for by some threads
//!   for all tasks: one of this crate, one of the C library for each 127 locks, eight at most (what
//!   is more is looked at every 40 ms), and one for each region.  The first poll starts them, and
//!   fails where it cannot ([`ErrorKind::TooMany`], [`ErrorKind::NoSlot`]).
//! - **Guards** ([`AsyncMutexGuard`] and its like) belong to the task: they are [`Send`], and may
//!   be held across `.await`.  If the process is killed, others find its tasks' locks as they find
//!   its threads'.
//! - **Dropping a future** cancels the wait, and keeps nothing.  If it had been granted the lock of
//!   an owner that died, the next one is told.
//! - A future that is woken holds the lock before it is polled, as those of threads' locks do
//!   ([`furwock::future`](crate::future)): do not keep one unpolled.
//! - Tasks of one process get a mutex in the order in which they were first polled; beside other
//!   processes, whoever is awake may take a free lock.  To them, all tasks that read are one
//!   reader.
//! - A repair function ([`Mutex::on_death`]) may be called in a lock of this crate: it must not use
//!   futures of a region (which ends the process), nor wait for what tasks of this process hold.
//!   Wakers must not block: others wait for the thread that calls them.
//! - In the child of a `fork`, a future that the parent had polled ends with
//!   [`ErrorKind::InvalidInput`]; new ones wait.
//!
//! # Fork, threads, exec, signals
//!
//! Owners are threads, or tasks.  A thread that ends with a forgotten guard counts as dead, as
//! does one that calls `exec`.  After `fork` the regions are open in the child, which holds
//! nothing: a guard that it has inherited gives it no right to the data, and dropping it does
//! nothing.  A stopped owner (SIGSTOP, a debugger) is not dead: the others wait.  Nothing here may
//! be called in a signal handler.
//!
//! # Limits
//!
//! A process has 16 regions open at most.  A region has a participant slot for every 2 KiB (128 at
//! least), one for each *thread* that uses it, and one for all tasks of a process (one more for
//! every 16 locks that they read at a time): choose the size by that, too ([`LockError::NoSlot`]).
//! An object is there as long as its region.  Nothing is durable: a region from before the last
//! boot is refused ([`ErrorKind::Stale`]) or [renewed](RegionOptions::renew).

#[macro_use]
mod macros;

mod barrier;
mod condvar;
mod copy;
mod driver;
mod error;
mod future;
mod guard;
mod holder;
mod journal;
mod lock_error;
mod lock_options;
mod mutex;
mod on_death;
mod once;
mod operation;
mod permits;
mod read_guard;
mod region;
mod region_options;
mod rwlock;
mod semaphore;
mod shm;
mod state;

pub use barrier::{Arrival, Barrier, BarrierMode, BarrierWaitResult};
pub use condvar::{Condvar, TimedResult};
pub use copy::{CopyGuard, CopyMutex, CopyResult};
pub use error::{Death, Error, ErrorKind};
pub use future::{
    AcquireFuture, AsyncCopyGuard, AsyncLockResult, AsyncMutexGuard, AsyncPermit,
    AsyncRwLockReadGuard, AsyncRwLockWriteGuard, ConditionWait, LockFuture, PermitFuture,
    ReadFuture,
};
pub use guard::Guard;
pub use holder::{HeldByTask, HeldByThread, Holder};
pub use journal::Transaction;
pub use lock_error::{InvalidData, LockError, OwnerDied, Poisoned};
pub use lock_options::{journal_record, LockOptions};
pub use mutex::{LockResult, Mutex, MutexGuard};
pub use once::{Once, OnceError, OnceState};
pub use permits::{Permit, Permits};
pub use read_guard::{
    Read, ReadByTask, ReadError, ReadGuard, ReadMode, ReadResult, Upgradable, UpgradeResult,
};
pub use region::{CloseError, Region, UntrustedRegion};
pub use region_options::RegionOptions;
pub use rwlock::{
    RwLock, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard, WriteResult,
};
pub use semaphore::Semaphore;
pub use shm::ShmSafe;
pub use state::{Held, HeldMode, LockState};

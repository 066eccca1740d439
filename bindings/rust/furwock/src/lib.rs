// SPDX-License-Identifier: MIT
//! Futex-based locks for Linux: the interface of `parking_lot`, over the C library furwock.
//!
//! - [`Mutex`], [`FairMutex`], [`ReentrantMutex`], [`RwLock`] and its variants [`RwLockReaders`],
//!   [`RwLockWriters`], [`RwLockGreedy`]: [`lock_api`]'s types around [`RawMutex`],
//!   [`RawFairMutex`], [`RawRwLock`], [`RawRwLockReaders`], [`RawRwLockWriters`] and
//!   [`RawRwLockGreedy`], which fit wherever a raw lock is asked for.
//! - [`Condvar`], [`Once`], [`OnceLock`].
//! - [`MutexGuardExt::wait_until`], to wait for a condition that nobody signals.
#![cfg_attr(not(miri), doc = "- [`Note`], a request to stop, which ends waits.")]
//! - [`Semaphore`], [`Event`], [`Barrier`], [`Latch`]; [`wait_any`] for several of them at once.
//! - [`BrLock`], for data that is almost only read: readers share no cache line.
#![cfg_attr(feature = "ipc", doc = "- [`ipc`]: robust locks in memory that processes share.")]
#![cfg_attr(feature = "std", doc = "- [`future`]: the same locks for tasks, in any runtime.")]
//!
//! All but [`BrLock`] have `const` constructors, allocate nothing, and need no destructor.
//!
//! ```
//! use furwock::{Condvar, Mutex};
//!
//! static QUEUE: Mutex<Vec<u32>> = Mutex::new(Vec::new());
//! static NOT_EMPTY: Condvar = Condvar::new();
//!
//! fn put(item: u32) {
//!     QUEUE.lock().push(item);
//!     NOT_EMPTY.notify_one();
//! }
//!
//! fn get() -> u32 {
//!     let mut queue = QUEUE.lock();
//!     NOT_EMPTY.wait_while(&mut queue, |queue| queue.is_empty());
//!     queue.pop().expect("not empty")
//! }
//!
//! let consumer = std::thread::spawn(get);
//! put(7);
//! assert_eq!(consumer.join().unwrap(), 7);
//! ```
//!
//! # What differs from other locks
//!
//! - A lock knows its owner.  Locking a mutex again in the thread that holds it, which would wait
//!   forever, and releasing what another thread holds (only `unsafe` code can) end the process with
//!   a line on standard error that names the lock and the threads.  Misuse that this crate can
//!   notice before it calls C panics, with the cause in the message.
//! - There is no poisoning, except of [`Once`], as in `parking_lot`: a panic releases what the
//!   thread holds.
//! - Guards are not [`Send`]: the owner is a thread.  (Those of futures are.)
//!
//! # Fork, and threads that end
//!
//! The child of `fork` has one thread.  It holds what the thread that forked held, and may release
//! it; what another thread held at the fork stays held in the child forever.  Condition variables,
//! semaphores and events have no waiters in the child; a [`Barrier`] must not be used there; an
//! initialisation of a [`Once`] that another thread was running is begun again.  This does not
//! hold for `vfork` and `clone`.
//!
//! A lock that a thread holds when it ends (its guard was leaked) stays held.
//!
//! # Unloading
//!
//! A plug-in (`cdylib`) that contains this crate must not be unloaded: on x86-64 a thread's
//! registration with the kernel may point into it.  Link it with `-z nodelete`
//! (`cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete` in its `build.rs`).  Threads that wait must not
//! be cancelled with `pthread_cancel`.
//!
//! # Features
//!
//! - `std` (default): deadlines as [`std::time::Instant`], and [`ReentrantMutex`].  Without it the
//!   crate needs `core` only.
//! - `ipc` (default): `furwock::ipc`.
//! - `lock_api_0_5`: the raw locks and [`Condvar`] also have the traits of lock_api 0.5 (Rust
//!   1.95): `lock_api::Mutex<furwock::RawMutex, T>` of that version.  The types here are of 0.4.
//! - `arc_lock`, `serde`, `owning_ref`: those of [`lock_api`].
//! - `system`: link an installed libfurwock, in place of the C sources of `furwock-sys`.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "std")]
pub mod future;
#[cfg(feature = "ipc")]
pub mod ipc;

#[cfg(miri)]
mod stand_in;
#[cfg(not(miri))]
use furwock_sys as sys;
#[cfg(miri)]
use stand_in as sys;

mod barrier;
mod brlock;
mod condvar;
mod deadline;
mod event;
mod latch;
#[cfg(feature = "lock_api_0_5")]
mod lock_api_0_5;
mod mutex;
mod mutex_wait;
#[cfg(not(miri))]
mod note;
mod once;
mod once_lock;
#[cfg(feature = "std")]
mod remutex;
mod rwlock;
mod semaphore;
mod wait;
mod wait_any;

pub use lock_api;

pub use barrier::{Arrival, Barrier, BarrierWaitResult};
pub use brlock::{BrLock, BrLockReadGuard, BrLockWriteGuard};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use event::Event;
pub use latch::Latch;
#[cfg(feature = "arc_lock")]
pub use mutex::{ArcFairMutexGuard, ArcMutexGuard};
pub use mutex::{
    FairMutex, FairMutexGuard, MappedFairMutexGuard, MappedMutexGuard, Mutex, MutexGuard,
    RawFairMutex, RawMutex,
};
pub use mutex_wait::MutexGuardExt;
#[cfg(not(miri))]
pub use note::Note;
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
#[cfg(all(feature = "std", feature = "arc_lock"))]
pub use remutex::ArcReentrantMutexGuard;
#[cfg(feature = "std")]
pub use remutex::{MappedReentrantMutexGuard, RawThreadId, ReentrantMutex, ReentrantMutexGuard};
#[cfg(feature = "arc_lock")]
pub use rwlock::{ArcRwLockReadGuard, ArcRwLockUpgradableReadGuard, ArcRwLockWriteGuard};
pub use rwlock::{
    MappedRwLockReadGuard, MappedRwLockWriteGuard, RawRwLock, RawRwLockGreedy, RawRwLockReaders,
    RawRwLockWriters, RwLock, RwLockGreedy, RwLockReadGuard, RwLockReaders,
    RwLockUpgradableReadGuard, RwLockWriteGuard, RwLockWriters,
};
pub use semaphore::{Overflow, Permit, Semaphore};
pub use wait::WaitPolicy;
#[cfg(feature = "std")]
pub use wait_any::wait_any_until;
pub use wait_any::{wait_any, wait_any_for, AnySource};

/// What a panic leaves of these is as good as before: their state changes in C, in one step.
macro_rules! unwind_safe {
    ($($name:ty),*) => {
        $(
            impl core::panic::UnwindSafe for $name {}
            impl core::panic::RefUnwindSafe for $name {}
        )*
    };
}

unwind_safe!(RawMutex, RawRwLock, RawRwLockReaders, RawRwLockWriters, RawRwLockGreedy);
unwind_safe!(Condvar, Once);
#[cfg(not(miri))]
unwind_safe!(Note<'_>);
unwind_safe!(Semaphore, Event, Barrier, Latch);

// SPDX-License-Identifier: MIT
//! A mutex that its owner may lock again.

use core::num::NonZeroUsize;

use crate::RawMutex;

/// Which thread is it: the address of a variable of the thread, which a fork does not change.
#[derive(Debug)]
pub struct RawThreadId;

// SAFETY: two threads that live at the same time have two variables; no address is 0.
unsafe impl lock_api::GetThreadId for RawThreadId {
    const INIT: Self = Self;

    #[inline]
    fn nonzero_thread_id(&self) -> NonZeroUsize {
        thread_local!(static KEY: u8 = const { 0 });
        KEY.with(|key| NonZeroUsize::new(key as *const u8 as usize).expect("no address is 0"))
    }
}

/// A mutex that the thread that holds it may lock again; so its guards give shared access only.
///
/// ```
/// use furwock::ReentrantMutex;
/// use std::cell::Cell;
///
/// static DEPTH: ReentrantMutex<Cell<u32>> = ReentrantMutex::new(Cell::new(0));
///
/// fn descend(levels: u32) {
///     let depth = DEPTH.lock();
///     depth.set(depth.get() + 1);
///     if levels > 1 {
///         descend(levels - 1);
///     }
/// }
///
/// descend(3);
/// assert_eq!(DEPTH.lock().get(), 3);
/// ```
pub type ReentrantMutex<T> = lock_api::ReentrantMutex<RawMutex, RawThreadId, T>;

/// The value of a [`ReentrantMutex`], until it is dropped.
pub type ReentrantMutexGuard<'a, T> = lock_api::ReentrantMutexGuard<'a, RawMutex, RawThreadId, T>;

/// A [`ReentrantMutexGuard`] of a part of the value.
pub type MappedReentrantMutexGuard<'a, T> =
    lock_api::MappedReentrantMutexGuard<'a, RawMutex, RawThreadId, T>;

/// A [`ReentrantMutexGuard`] that keeps the mutex alive by an `Arc`.
#[cfg(feature = "arc_lock")]
pub type ArcReentrantMutexGuard<T> = lock_api::ArcReentrantMutexGuard<RawMutex, RawThreadId, T>;

// SPDX-License-Identifier: MIT
//! `fw_brlock` around a value.

use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
use core::time::Duration;

use crate::sys;

use crate::deadline::Deadline;

/// A big-reader lock around a value that is almost only read.
///
/// While no writer is there, readers share no cache line that any of them writes, so they scale
/// with the CPUs.  Writers pay for it: one that comes after many readers interrupts all CPUs that
/// run the process, which takes microseconds.  Phase-fair: a waiting writer keeps new readers out,
/// and a reader waits for one writer at most.  A thread must not read what it reads already: it may
/// wait for a writer that waits for it.
///
/// It has no `const` constructor, since it allocates a cache line per CPU.  In the child of a fork,
/// what another thread held or was taking stays held forever.
///
/// ```
/// use furwock::BrLock;
///
/// let routes = BrLock::new([0u8; 256]);
/// routes.write()[10] = 3;
/// assert_eq!(routes.read()[10], 3);
/// ```
pub struct BrLock<T: ?Sized> {
    raw: UnsafeCell<sys::fw_brlock>,
    value: UnsafeCell<T>,
}

// SAFETY: it owns its value; fw_brlock does not know its address while no thread uses it.
unsafe impl<T: ?Sized + Send> Send for BrLock<T> {}
// SAFETY: many readers or one writer, which may move the value to another thread.
unsafe impl<T: ?Sized + Send + Sync> Sync for BrLock<T> {}

impl<T> BrLock<T> {
    /// A free lock around `value`.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[must_use]
    pub fn new(value: T) -> Self {
        let mut raw = MaybeUninit::<sys::fw_brlock>::uninit();
        // SAFETY: memory for a lock.
        let result = unsafe { sys::fw_brlock_init(raw.as_mut_ptr()) };
        assert_eq!(result, 0, "no memory for a BrLock");
        // SAFETY: initialised just now.
        let raw = unsafe { raw.assume_init() };
        Self { raw: UnsafeCell::new(raw), value: UnsafeCell::new(value) }
    }
}

impl<T: ?Sized> BrLock<T> {
    /// The lock for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_brlock {
        self.raw.get()
    }

    /// Takes the lock for reading, waiting for writers.
    pub fn read(&self) -> BrLockReadGuard<'_, T> {
        // SAFETY: the lock is initialised, and lives as long as self.
        unsafe { sys::fw_brlock_rdlock(self.as_ptr()) };
        BrLockReadGuard { lock: self, marker: PhantomData }
    }

    /// The same if no writer holds the lock or waits for it.
    pub fn try_read(&self) -> Option<BrLockReadGuard<'_, T>> {
        // SAFETY: as in read.
        let taken = unsafe { sys::fw_brlock_tryrdlock(self.as_ptr()) == 0 };
        taken.then(|| BrLockReadGuard { lock: self, marker: PhantomData })
    }

    /// The same, waiting that long at most.
    pub fn try_read_for(&self, timeout: Duration) -> Option<BrLockReadGuard<'_, T>> {
        let deadline = Deadline::after(timeout);
        // SAFETY: as in read; the deadline outlives the call.
        let result = unsafe { sys::fw_brlock_timedrdlock(self.as_ptr(), deadline.as_ptr()) };
        (result == 0).then(|| BrLockReadGuard { lock: self, marker: PhantomData })
    }

    /// Takes the lock for writing, waiting for other writers, then for the readers inside.
    pub fn write(&self) -> BrLockWriteGuard<'_, T> {
        // SAFETY: as in read.
        unsafe { sys::fw_brlock_wrlock(self.as_ptr()) };
        BrLockWriteGuard { lock: self, marker: PhantomData }
    }

    /// The same if no thread holds the lock.
    pub fn try_write(&self) -> Option<BrLockWriteGuard<'_, T>> {
        // SAFETY: as in read.
        let taken = unsafe { sys::fw_brlock_trywrlock(self.as_ptr()) == 0 };
        taken.then(|| BrLockWriteGuard { lock: self, marker: PhantomData })
    }

    /// The same, waiting that long at most.
    pub fn try_write_for(&self, timeout: Duration) -> Option<BrLockWriteGuard<'_, T>> {
        let deadline = Deadline::after(timeout);
        // SAFETY: as in read; the deadline outlives the call.
        let result = unsafe { sys::fw_brlock_timedwrlock(self.as_ptr(), deadline.as_ptr()) };
        (result == 0).then(|| BrLockWriteGuard { lock: self, marker: PhantomData })
    }

    /// The value, of a lock that no other thread can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: ?Sized> Drop for BrLock<T> {
    fn drop(&mut self) {
        // Its memory is leaked if a guard was: destroying a lock that is held is an error in C.
        // SAFETY: no other thread has a reference to it.
        unsafe { sys::fw_brlock_trydestroy(self.as_ptr()) };
    }
}

impl<T: Default> Default for BrLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for BrLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.try_read() {
            Some(guard) => f.debug_struct("BrLock").field("value", &&*guard).finish(),
            None => f.debug_struct("BrLock").field("value", &format_args!("<locked>")).finish(),
        }
    }
}

/// Shared access to the value of a [`BrLock`], until it is dropped.
#[must_use = "the lock is released at once if the guard is dropped"]
pub struct BrLockReadGuard<'a, T: ?Sized> {
    lock: &'a BrLock<T>,
    marker: PhantomData<*const ()>, // the thread that took it releases it
}

// SAFETY: shared access to it is shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for BrLockReadGuard<'_, T> {}

impl<T: ?Sized> Deref for BrLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: no writer is there while this thread holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for BrLockReadGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this thread holds the lock for reading.
        unsafe { sys::fw_brlock_rdunlock(self.lock.as_ptr()) }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for BrLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Exclusive access to the value of a [`BrLock`], until it is dropped.
#[must_use = "the lock is released at once if the guard is dropped"]
pub struct BrLockWriteGuard<'a, T: ?Sized> {
    lock: &'a BrLock<T>,
    marker: PhantomData<*const ()>,
}

// SAFETY: shared access to it is shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for BrLockWriteGuard<'_, T> {}

impl<T: ?Sized> Deref for BrLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: no other thread is there while this one holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> DerefMut for BrLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in deref.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for BrLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this thread holds the lock for writing.
        unsafe { sys::fw_brlock_wrunlock(self.lock.as_ptr()) }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for BrLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

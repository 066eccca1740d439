// SPDX-License-Identifier: MIT
//! A value that is made once.

use core::cell::UnsafeCell;
use core::convert::Infallible;
use core::fmt;
use core::mem::MaybeUninit;

use crate::Once;

/// A value that the first thread to need it makes, while others wait.
///
/// An initialiser that fails or panics leaves it empty: the next one tries again.
///
/// ```
/// use furwock::OnceLock;
///
/// static PRIMES: OnceLock<Vec<u32>> = OnceLock::new();
///
/// let parsed = PRIMES.get_or_try_init(|| "2 3 x".split(' ').map(str::parse).collect());
/// assert!(parsed.is_err());
/// assert_eq!(PRIMES.get_or_init(|| vec![2, 3, 5]).len(), 3);
/// assert_eq!(PRIMES.get().unwrap()[2], 5);
/// ```
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<MaybeUninit<T>>, // initialised once `once` is done
}

// SAFETY: a value may be made in one thread and dropped in another, and be read by several.
unsafe impl<T: Sync + Send> Sync for OnceLock<T> {}
// SAFETY: it owns its value.
unsafe impl<T: Send> Send for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// Without a value.
    #[must_use]
    pub const fn new() -> Self {
        Self { once: Once::new(), value: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// The value, if there is one.  Does not wait.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: once it is done the value is there, and is not changed while it is borrowed.
        self.once.is_completed().then(|| unsafe { (*self.value.get()).assume_init_ref() })
    }

    /// The value, if there is one.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: as in get.
        self.once.is_completed().then(|| unsafe { self.value.get_mut().assume_init_mut() })
    }

    /// Gives it a value, or `value` back if it has one; waits while another thread makes one.
    ///
    /// # Errors
    ///
    /// There is a value already.
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut offered = Some(value);
        self.get_or_init(|| offered.take().expect("asked for once"));
        offered.map_or(Ok(()), Err)
    }

    /// The value, which `make` makes if there is none.
    #[inline]
    pub fn get_or_init<F: FnOnce() -> T>(&self, make: F) -> &T {
        self.get_or_try_init(|| Ok::<T, Infallible>(make())).unwrap_or_else(|never| match never {})
    }

    /// The same, with an initialiser that may fail; then the next one tries again.
    ///
    /// # Errors
    ///
    /// That of `make`.
    pub fn get_or_try_init<E, F: FnOnce() -> Result<T, E>>(&self, make: F) -> Result<&T, E> {
        if self.get().is_none() {
            self.once.try_call(|| {
                let value = make()?;
                // SAFETY: no other thread is here, and none reads the value before it is done.
                unsafe { (*self.value.get()).write(value) };
                Ok(())
            })?;
        }
        Ok(self.get().expect("done"))
    }

    /// Takes the value out, and leaves it empty.
    pub fn take(&mut self) -> Option<T> {
        let done = self.once.is_completed();
        self.once = Once::new();
        // SAFETY: it was there, and is not any more.
        done.then(|| unsafe { self.value.get_mut().assume_init_read() })
    }

    /// The value, if there is one.
    pub fn into_inner(mut self) -> Option<T> {
        self.take()
    }
}

impl<T> Drop for OnceLock<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        let lock = Self::new();
        assert!(lock.set(value).is_ok(), "a new one is empty");
        lock
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnceLock").field(&self.get()).finish()
    }
}

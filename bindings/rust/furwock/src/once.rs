// SPDX-License-Identifier: MIT
//! One-time initialisation, with poisoning: `fw_once` says who runs it, this who must not.

use core::cell::UnsafeCell;
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::sys;

const NEW: u8 = 0;
const POISONED: u8 = 1;
const RUNNING: u8 = 2;
const DONE: u8 = 3;

/// How far a [`Once`] has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OnceState {
    /// No closure has run, nor runs.
    New,
    /// A closure has panicked.
    Poisoned,
    /// A thread is running a closure.
    InProgress,
    /// A closure has run.
    Done,
}

impl OnceState {
    /// Has a closure panicked?
    #[must_use]
    pub fn poisoned(self) -> bool {
        self == OnceState::Poisoned
    }

    /// Has a closure run?
    #[must_use]
    pub fn done(self) -> bool {
        self == OnceState::Done
    }
}

/// Runs a closure once, in the first thread that asks for it, while others wait.
///
/// A closure that panics poisons it: later calls of [`call_once`](Once::call_once) panic as well,
/// and [`call_once_force`](Once::call_once_force) tries again.  A closure that calls its own `Once`
/// ends the process with a message.  In the child of a fork, a closure that another thread was
/// running at the fork is begun again.
///
/// ```
/// use furwock::Once;
///
/// static START: Once = Once::new();
///
/// START.call_once(|| println!("only the first time"));
/// START.call_once(|| unreachable!());
/// assert!(START.state().done());
/// ```
pub struct Once {
    word: UnsafeCell<sys::fw_once>,
    state: AtomicU8, // written by the thread that fw_once has chosen
}

// SAFETY: all access to the word is through C functions that are made for several threads.
unsafe impl Sync for Once {}
// SAFETY: fw_once does not know its address while no thread uses it.
unsafe impl Send for Once {}

/// A closure is being run; what is stored when it returns or panics.
struct Running<'a> {
    once: &'a Once,
    outcome: u8,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.once.state.store(self.outcome, Ordering::Release);
        // SAFETY: fw_once_begin_ has chosen this thread, which ends it here, once.
        unsafe { sys::fw_once_end_(self.once.word.get(), self.outcome == DONE) }
    }
}

impl Once {
    /// A `Once` of which no closure has run.
    #[must_use]
    pub const fn new() -> Self {
        Self { word: UnsafeCell::new(sys::FW_ONCE_INIT), state: AtomicU8::new(NEW) }
    }

    /// A snapshot; what the closure did is visible if it is [`OnceState::Done`].
    pub fn state(&self) -> OnceState {
        match self.state.load(Ordering::Acquire) {
            NEW => OnceState::New,
            POISONED => OnceState::Poisoned,
            RUNNING => OnceState::InProgress,
            _ => OnceState::Done,
        }
    }

    /// Has a closure run?  What it did is visible then.
    #[inline]
    pub fn is_completed(&self) -> bool {
        self.state.load(Ordering::Acquire) == DONE
    }

    /// Runs `f` unless a closure has run before; waits while another thread does so.
    ///
    /// # Panics
    ///
    /// If `f` panics, or another closure has.
    #[inline]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        if !self.is_completed() {
            self.call_slow(false, |_| {
                f();
                Ok::<(), core::convert::Infallible>(())
            })
            .unwrap_or_else(|never| match never {});
        }
    }

    /// The same, also if a closure has panicked before: `f` is told.
    ///
    /// # Panics
    ///
    /// If `f` panics.
    #[inline]
    pub fn call_once_force<F: FnOnce(OnceState)>(&self, f: F) {
        if !self.is_completed() {
            self.call_slow(true, |state| {
                f(state);
                Ok::<(), core::convert::Infallible>(())
            })
            .unwrap_or_else(|never| match never {});
        }
    }

    /// The same: after an error the next call tries again.
    pub(crate) fn try_call<E>(&self, f: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        match self.is_completed() {
            true => Ok(()),
            false => self.call_slow(true, |_| f()),
        }
    }

    #[cold]
    fn call_slow<E>(
        &self,
        even_if_poisoned: bool,
        f: impl FnOnce(OnceState) -> Result<(), E>,
    ) -> Result<(), E> {
        // SAFETY: the word is initialised, and lives as long as self.
        if !unsafe { sys::fw_once_begin_(self.word.get()) } {
            return Ok(());
        }
        let was_poisoned = self.state.load(Ordering::Acquire) == POISONED;
        let mut running = Running { once: self, outcome: POISONED };
        if was_poisoned && !even_if_poisoned {
            panic!("this Once is poisoned: an initialisation has panicked");
        }
        // Also for RUNNING, which is what a fork has left.
        self.state.store(RUNNING, Ordering::Relaxed);
        let result = f(if was_poisoned { OnceState::Poisoned } else { OnceState::New });
        running.outcome = if result.is_ok() { DONE } else { NEW };
        result
    }
}

impl Default for Once {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").field("state", &self.state()).finish()
    }
}

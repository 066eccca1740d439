// SPDX-License-Identifier: MIT
//! `fw_note`.

use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;
use core::time::Duration;

use crate::sys;

use crate::condvar::raw;
use crate::deadline::Deadline;
use crate::{Condvar, Event, Latch, Mutex, MutexGuard, Semaphore};

/// A request to stop, which ends the waits that are made with it.
///
/// It is notified once: by [`notify`](Note::notify), when its time has passed, or because its
/// parent is.  From then on no wait with it waits.  What a wait asks for comes first: what is there
/// is taken, whether or not the note is notified.
///
/// Notes form trees: one for a server, a child for each connection, another for each request, which
/// has a time of its own ([`child_for`](Note::child_for)).
///
/// ```
/// use furwock::{Note, Semaphore};
/// use std::time::Duration;
///
/// let (server, items) = (Note::new(), Semaphore::new(1));
/// let request = server.child_for(Duration::from_secs(60));
/// assert!(request.acquire(&items));
/// server.notify();
/// assert!(!request.acquire(&items) && request.is_notified());
/// ```
pub struct Note<'parent> {
    note: UnsafeCell<sys::fw_note>,
    parent: PhantomData<&'parent ()>,
}

// SAFETY: fw_note is made to be used by several threads at once, and does not know its address
// while no thread uses it; its parent is borrowed, and such a note, too.
unsafe impl Send for Note<'_> {}
// SAFETY: as above; all access is through C functions that take its address.
unsafe impl Sync for Note<'_> {}

impl Note<'static> {
    /// A note without a parent.
    #[must_use]
    pub fn new() -> Self {
        Self::make(ptr::null(), Deadline::NEVER)
    }

    /// A note without a parent, which is notified when that time has passed.
    #[must_use]
    pub fn with_timeout(timeout: Duration) -> Self {
        Self::make(ptr::null(), Deadline::after(timeout))
    }
}

impl<'parent> Note<'parent> {
    /// How deep a tree of notes may be: the root is the first.
    pub const DEPTH_MAX: usize = sys::FW_NOTE_DEPTH_MAX as usize;

    /// A note that is notified with this one, or before.
    ///
    /// # Panics
    ///
    /// If the tree is deeper than [`Note::DEPTH_MAX`].
    #[must_use]
    pub fn child(&self) -> Note<'_> {
        Note::make(self.as_ptr(), Deadline::NEVER)
    }

    /// The same, at the latest when that time has passed.
    ///
    /// # Panics
    ///
    /// As [`child`](Note::child).
    #[must_use]
    pub fn child_for(&self, timeout: Duration) -> Note<'_> {
        Note::make(self.as_ptr(), Deadline::after(timeout))
    }

    fn make(parent: *const sys::fw_note, deadline: Deadline) -> Self {
        let mut note = MaybeUninit::uninit();
        // SAFETY: memory for a note, a parent that is borrowed as long as this one lives, and a
        // deadline that outlives the call; it initialises the note if it returns 0.
        let error = unsafe { sys::fw_note_init(note.as_mut_ptr(), parent, deadline.as_ptr()) };
        assert!(error == 0, "a tree of notes is Note::DEPTH_MAX deep at most");
        // SAFETY: as above.
        let note = UnsafeCell::new(unsafe { note.assume_init() });
        Self { note, parent: PhantomData }
    }

    /// The note for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_note {
        self.note.get()
    }

    /// Ends all waits with it and its descendants.
    pub fn notify(&self) {
        // SAFETY: the note is initialised, and lives as long as self.
        unsafe { sys::fw_note_notify(self.as_ptr()) }
    }

    /// Is it notified, or an ancestor, or has its time passed?
    pub fn is_notified(&self) -> bool {
        // SAFETY: as in notify.
        unsafe { sys::fw_note_is_notified(self.as_ptr()) }
    }

    /// Waits until it is notified.
    pub fn wait(&self) {
        self.until(Deadline::NEVER);
    }

    /// Waits that long at most: is it notified?
    pub fn wait_for(&self, timeout: Duration) -> bool {
        self.until(Deadline::after(timeout))
    }

    fn until(&self, deadline: Deadline) -> bool {
        // SAFETY: as in notify; the deadline outlives the call.
        unsafe { sys::fw_note_wait(self.as_ptr(), deadline.as_ptr()) == 0 }
    }

    /// Takes a unit; false: the note is notified, and nothing was taken.
    #[must_use]
    pub fn acquire(&self, semaphore: &Semaphore) -> bool {
        // SAFETY: both live as long as they are borrowed; no deadline.
        unsafe { sys::fw_note_sem_wait(semaphore.as_ptr(), self.as_ptr(), ptr::null()) == 0 }
    }

    /// Waits until the event is set, and takes the signal of an automatic one; false: the note is
    /// notified.
    #[must_use]
    pub fn wait_event(&self, event: &Event) -> bool {
        // SAFETY: as in acquire.
        unsafe { sys::fw_note_event_wait(event.as_ptr(), self.as_ptr(), ptr::null()) == 0 }
    }

    /// Waits until the latch is open; false: the note is notified.
    #[must_use]
    pub fn wait_latch(&self, latch: &Latch) -> bool {
        // SAFETY: as in acquire.
        unsafe { sys::fw_note_latch_wait(latch.as_ptr(), self.as_ptr(), ptr::null()) == 0 }
    }

    /// Locks the mutex; `None`: the note is notified.
    pub fn lock<'m, T: ?Sized>(&self, mutex: &'m Mutex<T>) -> Option<MutexGuard<'m, T>> {
        // SAFETY: as in acquire; it is locked in this thread.
        let error =
            unsafe { sys::fw_note_mutex_lock(mutex.raw().as_ptr(), self.as_ptr(), ptr::null()) };
        // SAFETY: locked just now, by this thread, for this guard.
        (error == 0).then(|| unsafe { mutex.make_guard_unchecked() })
    }

    /// Waits for notifications of the condition variable as long as `condition` returns true;
    /// false: it still does, and the note is notified.
    ///
    /// # Panics
    ///
    /// As [`Condvar::wait_while`].
    #[must_use]
    pub fn wait_while<T: ?Sized, F>(
        &self,
        condvar: &Condvar,
        guard: &mut MutexGuard<'_, T>,
        mut condition: F,
    ) -> bool
    where
        F: FnMut(&mut T) -> bool,
    {
        let wait = |cond, mutex| -> c_int {
            // SAFETY: as in acquire; the guard holds the mutex.
            unsafe { sys::fw_note_cond_wait(cond, mutex, self.as_ptr(), ptr::null()) }
        };
        let mut error = 0;
        while condition(guard) {
            if error != 0 {
                return false;
            }
            error = condvar.wait_by(raw(guard), wait);
        }
        true
    }
}

impl Default for Note<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Note").field("is_notified", &self.is_notified()).finish_non_exhaustive()
    }
}

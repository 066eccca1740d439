// SPDX-License-Identifier: MIT
//! `fw_wait_any`.

use core::ffi::c_uint;
use core::time::Duration;

use crate::sys;

use crate::deadline::Deadline;
use crate::{Event, Latch, Semaphore};

mod sealed {
    /// What C is told of an object.
    pub trait Source {
        fn for_c(&self) -> furwock_sys::fw_any;
    }
}
use sealed::Source;

/// What [`wait_any`] waits for: a [`Semaphore`], an [`Event`], or a [`Latch`].
pub trait AnySource: Source + Sync {}

macro_rules! any_source {
    ($name:ident, $kind:expr) => {
        impl Source for $name {
            fn for_c(&self) -> sys::fw_any {
                sys::fw_any { kind: $kind, object: self.as_ptr().cast() }
            }
        }

        impl AnySource for $name {}
    };
}

any_source!(Semaphore, sys::FW_ANY_SEM);
any_source!(Event, sys::FW_ANY_EVENT);
any_source!(Latch, sys::FW_ANY_LATCH);

const MAX: usize = sys::FW_ANY_MAX as usize;

/// Waits until one of several objects is ready, takes from that one what its own wait would take (a
/// unit of a semaphore, the signal of an automatic event), nothing from the others, and returns its
/// index.  If several are ready, it is the first of them.
///
/// ```
/// use furwock::{wait_any, Event, Semaphore};
///
/// static ITEMS: Semaphore = Semaphore::new(1);
/// static STOP: Event = Event::manual();
///
/// assert_eq!(wait_any(&[&STOP, &ITEMS]), 1); // there was an item
/// STOP.set();
/// assert_eq!(wait_any(&[&STOP, &ITEMS]), 0);
/// ```
///
/// # Panics
///
/// If there is no object, or more than 128.
pub fn wait_any(objects: &[&dyn AnySource]) -> usize {
    any(objects, Deadline::NEVER).expect("no deadline")
}

/// The same, waiting that long at most; `None` if the time has passed.
///
/// # Panics
///
/// As [`wait_any`].
pub fn wait_any_for(objects: &[&dyn AnySource], timeout: Duration) -> Option<usize> {
    any(objects, Deadline::after(timeout))
}

/// The same, until that moment at most.
///
/// # Panics
///
/// As [`wait_any`].
#[cfg(feature = "std")]
pub fn wait_any_until(objects: &[&dyn AnySource], timeout: std::time::Instant) -> Option<usize> {
    any(objects, Deadline::at(timeout))
}

fn any(objects: &[&dyn AnySource], deadline: Deadline) -> Option<usize> {
    let n = objects.len();
    assert!(n > 0 && n <= MAX, "wait_any takes 1 to {MAX} objects, not {n}");
    let none = sys::fw_any { kind: 0, object: core::ptr::null_mut() };
    let mut list = [none; MAX];
    for (entry, object) in list.iter_mut().zip(objects) {
        *entry = object.for_c();
    }
    let mut which: c_uint = 0;
    // SAFETY: n objects that live as long as they are borrowed, and a deadline that outlives the
    // call.
    let result =
        unsafe { sys::fw_wait_any(list.as_ptr(), n as c_uint, deadline.as_ptr(), &mut which) };
    (result == 0).then_some(which as usize)
}

// SPDX-License-Identifier: MIT
//! One-time initialisation by the first process that needs it.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::mem::size_of;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Acquire};

use furwock_sys::ipc as sys;

use super::error::{errno, Error};
use super::region::{Creation, UntrustedRegion};

/// One-time initialisation of something that processes share, while the others wait.  If the
/// initialiser dies, panics or fails, the next one initialises.
///
/// ```
/// # let name = format!("/furwock-doc-once-{}", std::process::id());
/// use furwock::ipc::{Once, Region};
///
/// let region = Region::options().create(true).open_untrusted(&name)?;
/// # Region::remove(&name)?;
/// let once = Once::open_or_create(&region, "once")?;
/// once.call(|state| {
///     if state.is_left() {
///         println!("another process died half-way: starting again over what it left");
///     }
/// })?;
/// assert!(once.is_done());
/// once.call(|_| unreachable!())?;
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct Once {
    _region: UntrustedRegion,
    once: NonNull<sys::fw_ipc_once>,
}

// SAFETY: the calls of C may be made by any thread.
unsafe impl Send for Once {}
// SAFETY: the same.
unsafe impl Sync for Once {}

/// What an initialiser is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnceState {
    is_left: bool,
}

impl OnceState {
    /// Did an earlier initialiser die half-way, without one that has finished since?
    pub fn is_left(&self) -> bool {
        self.is_left
    }
}

/// Why [`Once::try_call`] has not succeeded.
#[derive(Debug, PartialEq, Eq)]
pub enum OnceError<E, F> {
    /// The caller's own initialiser returned this; a later call tries again.
    Failed(E),
    /// It was not run.
    NotRun(F),
}

struct Call<'a, F, E> {
    once: &'a Once,
    init: Option<F>,
    result: Outcome<E>,
}

enum Outcome<E> {
    NotRun,
    Done,
    Failed(E),
    Panicked(Box<dyn Any + Send>),
}

impl Once {
    object_constructors!("once");

    fn with(region: &UntrustedRegion, name: &str, how: Creation) -> Result<Self, Error> {
        let size = size_of::<sys::fw_ipc_once>();
        let once = region.object(name, sys::FW_REGION_ONCE, size, how)?.cast();
        Ok(Self { _region: region.clone(), once })
    }

    /// Is the initialisation done?  Then its effects are visible.
    pub fn is_done(&self) -> bool {
        // SAFETY: the one word of a once, in a region that is open.
        let word = unsafe { &*self.once.as_ptr().cast::<AtomicU64>() };
        word.load(Acquire) == sys::FW_IPC_ONCE_DONE_
    }

    /// Calls `init` unless that has been done before; waits while another thread does so.
    ///
    /// # Errors
    /// [`Deadlock`](super::ErrorKind::Deadlock): called from its own initialiser;
    /// [`NotPermitted`](super::ErrorKind::NotPermitted): the caller was forked in its initialiser;
    /// [`NoSlot`](super::ErrorKind::NoSlot), [`Corrupted`](super::ErrorKind::Corrupted).
    ///
    /// # Panics
    /// If `init` does; then a later call tries again.
    pub fn call(&self, init: impl FnOnce(OnceState)) -> Result<(), Error> {
        enum Never {}
        let init = |state| {
            init(state);
            Ok::<(), Never>(())
        };
        self.try_call(init).map_err(|error| match error {
            OnceError::Failed(never) => match never {},
            OnceError::NotRun(error) => error,
        })
    }

    /// The same with an initialiser that may fail.
    ///
    /// # Errors
    /// Its own error; and as for [`call`](Self::call).
    ///
    /// # Panics
    /// As for [`call`](Self::call).
    pub fn try_call<E>(
        &self,
        init: impl FnOnce(OnceState) -> Result<(), E>,
    ) -> Result<(), OnceError<E, Error>> {
        if self.is_done() {
            return Ok(());
        }
        let mut call = Call { once: self, init: Some(init), result: Outcome::NotRun };
        let function = entry_of(&call);
        // SAFETY: in a region that is open; the function takes such an argument.
        let result = unsafe {
            let arg: *mut c_void = (&mut call as *mut Call<'_, _, E>).cast();
            sys::fw_ipc_once_call_slow_(self.once.as_ptr(), Some(function), arg)
        };
        match call.result {
            Outcome::Panicked(payload) => resume_unwind(payload),
            Outcome::Failed(error) => Err(OnceError::Failed(error)),
            Outcome::Done | Outcome::NotRun if result == 0 => Ok(()),
            _ => Err(OnceError::NotRun(Error::new(result, "initialise once"))),
        }
    }
}

type Entry = unsafe extern "C" fn(*mut c_void) -> c_int;

/// The function of C for a call of that type.
fn entry_of<F: FnOnce(OnceState) -> Result<(), E>, E>(_: &Call<'_, F, E>) -> Entry {
    run::<F, E>
}

unsafe extern "C" fn run<F, E>(arg: *mut c_void) -> c_int
where
    F: FnOnce(OnceState) -> Result<(), E>,
{
    // SAFETY: what `try_call` has passed, which it does not use meanwhile.
    let call = unsafe { &mut *arg.cast::<Call<'_, F, E>>() };
    // SAFETY: in a region that is open.
    let is_left = unsafe { sys::fw_ipc_once_is_left(call.once.once.as_ptr()) };
    let Some(init) = call.init.take() else { return errno::EINVAL };
    // A panic cannot pass through C.
    call.result = match catch_unwind(AssertUnwindSafe(|| init(OnceState { is_left }))) {
        Ok(Ok(())) => Outcome::Done,
        Ok(Err(error)) => Outcome::Failed(error),
        Err(payload) => Outcome::Panicked(payload),
    };
    match call.result {
        Outcome::Done => 0,
        _ => errno::EBADMSG, // for C only: any number
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").field("is_done", &self.is_done()).finish_non_exhaustive()
    }
}

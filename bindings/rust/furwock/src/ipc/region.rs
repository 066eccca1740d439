// SPDX-License-Identifier: MIT
//! Regions: memory that processes share.

use std::ffi::{c_char, c_uint, c_void, CString};
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use furwock_sys::ipc as sys;

use super::error::{errno, Error};
use super::region_options::{c_name, RegionOptions};

/// One successful `fw_region_open`.
pub(super) struct Handle(pub(super) NonNull<sys::fw_region>);

// SAFETY: the C library's calls on a region may be made by any thread.
unsafe impl Send for Handle {}
// SAFETY: the same, at the same time.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: open, and the last user of this handle is gone.  What remains open after EBUSY
        // (adopted memory) is the subject of `UntrustedRegion::close`.
        unsafe { sys::fw_region_close(self.0.as_ptr()) };
    }
}

/// A region of whose other participants nothing is assumed: they may write anything anywhere, at
/// any time.  To open one is safe.
///
/// Its semaphores, permits, barriers, condition variables and onces are those of a [`Region`],
/// since the library checks what it finds in them; data are accessed through a
/// [`CopyMutex`](super::CopyMutex), which copies and validates.  What remains to a hostile
/// participant is to deny service: by holding a lock forever, or by truncating the file, which
/// kills the others with SIGBUS.
///
/// A clone is the same region.  It is closed when its last clone and the last object that was
/// opened in it are dropped; what threads of this process still hold there (a guard that was
/// forgotten) is then released as by their death.
#[derive(Clone)]
pub struct UntrustedRegion(pub(super) Arc<Handle>);

/// A region whose participants are trusted: its locks give references to the data.
///
/// It is what [`RegionOptions::open`] returns, which says what is trusted; it dereferences to an
/// [`UntrustedRegion`], which has the methods.
#[derive(Clone, Debug)]
pub struct Region(pub(super) UntrustedRegion);

impl Region {
    /// Options for opening one: none is created, and only an existing one is joined.
    pub fn options() -> RegionOptions {
        RegionOptions::new()
    }

    /// Removes the name of a region (or any file); processes that have it open keep it.
    ///
    /// # Errors
    /// [`NotFound`](super::ErrorKind::NotFound), and what `unlink(2)` says.
    pub fn remove(name: impl AsRef<Path>) -> Result<(), Error> {
        let name = name.as_ref();
        let text = c_name(name)?;
        // SAFETY: a C string.
        let errno = unsafe { sys::fw_region_remove(text.as_ptr()) };
        match errno {
            0 => Ok(()),
            _ => Err(Error::named(errno, "remove the region", &name.to_string_lossy())),
        }
    }
}

impl Deref for Region {
    type Target = UntrustedRegion;

    fn deref(&self) -> &UntrustedRegion {
        &self.0
    }
}

impl UntrustedRegion {
    pub(super) fn as_ptr(&self) -> *mut sys::fw_region {
        self.0 .0.as_ptr()
    }

    /// Where it begins in this process.
    pub fn base(&self) -> NonNull<u8> {
        // SAFETY: an open region.
        let base = unsafe { sys::fw_region_base(self.as_ptr()) };
        NonNull::new(base.cast()).expect("an open region has an address")
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        // SAFETY: an open region.
        unsafe { sys::fw_region_size(self.as_ptr()) }
    }

    /// The id of the user that owned the file when it was opened.
    ///
    /// # Errors
    /// Adopted memory: its file is not known.
    pub fn owner(&self) -> Result<u32, Error> {
        let mut owner = 0;
        // SAFETY: an open region, and a place for the result.
        let errno = unsafe { sys::fw_region_owner(self.as_ptr(), &mut owner) };
        match errno {
            0 => Ok(owner),
            _ => Err(Error::new(errno, "find the owner of the region")),
        }
    }

    /// Gives back the calling thread's participant slot: for a thread that lives on and no longer
    /// needs it.  Its next call on an object takes a slot again.
    ///
    /// # Safety
    /// The thread has no guard of this region: what it holds is released as by its death.
    pub unsafe fn leave(&self) {
        // SAFETY: an open region; the rest is the caller's promise.
        unsafe { sys::fw_region_leave(self.as_ptr()) };
    }

    /// Closes the region if this is its last user, and says whether that worked.  Dropping it does
    /// the same, silently.
    ///
    /// # Errors
    /// [`WouldBlock`](super::ErrorKind::WouldBlock), and the region comes back, if clones or
    /// objects of it are in use, or if it is adopted memory in which other threads of this process
    /// have participant slots.  [`Corrupted`](super::ErrorKind::Corrupted) if it is closed, and
    /// the thread's slot has been overwritten: adopted memory must stay until the thread has ended.
    pub fn close(self) -> Result<(), CloseError> {
        const DURING: &str = "close the region, which is in use,";
        let handle = match Arc::try_unwrap(self.0) {
            Ok(handle) => handle,
            Err(shared) => {
                let error = Error::new(errno::EBUSY, DURING);
                return Err(CloseError { region: Some(Self(shared)), error });
            }
        };
        // SAFETY: open, and nobody else uses this handle.
        match unsafe { sys::fw_region_close(handle.0.as_ptr()) } {
            errno::EBUSY => {
                let error = Error::new(errno::EBUSY, DURING);
                Err(CloseError { region: Some(Self(Arc::new(handle))), error })
            }
            result => {
                std::mem::forget(handle);
                match result {
                    0 => Ok(()),
                    _ => Err(CloseError { region: None, error: Error::new(result, "close") }),
                }
            }
        }
    }

    /// The object of that name, of at least `size` bytes.
    pub(super) fn object(
        &self,
        name: &str,
        kind: sys::fw_region_kind,
        size: usize,
        how: Creation,
    ) -> Result<NonNull<c_void>, Error> {
        self.find(name, |region, text, object| {
            // SAFETY: an open region, a C string, and a place for the result.
            unsafe { sys::fw_region_object(region, text, kind, size, how.flags(), object) }
        })
    }

    /// What a call of C finds or makes.
    pub(super) fn find<O>(
        &self,
        name: &str,
        call: impl FnOnce(*mut sys::fw_region, *const c_char, *mut *mut O) -> i32,
    ) -> Result<NonNull<O>, Error> {
        const DURING: &str = "open the object";
        let text = CString::new(name).map_err(|_| Error::named(errno::EINVAL, DURING, name))?;
        let mut object = ptr::null_mut();
        let errno = call(self.as_ptr(), text.as_ptr(), &mut object);
        match NonNull::new(object) {
            Some(object) if errno == 0 => Ok(object),
            _ => Err(Error::named(errno, DURING, name)),
        }
    }
}

impl fmt::Debug for UntrustedRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Region").field("base", &self.base()).field("size", &self.size()).finish()
    }
}

/// Why a region was not closed, or not cleanly.
#[derive(Debug)]
pub struct CloseError {
    /// The region, which is still open.
    pub region: Option<UntrustedRegion>,
    /// Why.
    pub error: Error,
}

impl fmt::Display for CloseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for CloseError {}

/// Whether an object or region may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Creation {
    Never,
    IfMissing,
    Only,
}

impl Creation {
    pub(super) fn flags(self) -> c_uint {
        match self {
            Creation::Never => 0,
            Creation::IfMissing => sys::FW_REGION_CREATE,
            Creation::Only => sys::FW_REGION_CREATE | sys::FW_REGION_EXCLUSIVE,
        }
    }
}

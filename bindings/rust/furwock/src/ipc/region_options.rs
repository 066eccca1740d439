// SPDX-License-Identifier: MIT
//! How to open a region.

use std::ffi::{c_uint, CString};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use furwock_sys::ipc as sys;

use super::error::{errno, Error};
use super::region::{Handle, Region, UntrustedRegion};

/// How to open a region.
///
/// ```
/// use furwock::ipc::Region;
///
/// let name = format!("/furwock-doc-options-{}", std::process::id());
/// let options = Region::options().create(true).size(1 << 20);
/// // SAFETY: the region is private to this user (mode 0600), whose programs keep the rules.
/// let region = unsafe { options.open(&name) }?;
/// assert_eq!(region.size(), 1 << 20);
/// Region::remove(&name)?;
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RegionOptions {
    size: usize,
    mode: c_uint,
    flags: c_uint,
}

impl Default for RegionOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl RegionOptions {
    /// Only an existing region is joined.
    pub fn new() -> Self {
        Self { size: 0, mode: 0, flags: 0 }
    }

    fn flag(mut self, flag: c_uint, is_set: bool) -> Self {
        self.flags = if is_set { self.flags | flag } else { self.flags & !flag };
        self
    }

    /// The size of a new region in bytes, from 64 KiB to 8 GiB, rounded up to pages; an existing
    /// one has at least that (0: any, or for a new one the smallest).
    pub fn size(mut self, bytes: usize) -> Self {
        self.size = bytes;
        self
    }

    /// Create it if there is none.
    pub fn create(self, create: bool) -> Self {
        self.flag(sys::FW_REGION_CREATE, create)
    }

    /// Create it, and fail if there is one.
    pub fn create_new(self, create: bool) -> Self {
        self.flag(sys::FW_REGION_CREATE | sys::FW_REGION_EXCLUSIVE, create)
    }

    /// The permissions of a new file, less the umask; by default `0o600`.  They are also the most
    /// that an existing file may have.
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }

    /// A new region records when owners locked, for tools (`furwock show`).
    pub fn stamp(self, stamp: bool) -> Self {
        self.flag(sys::FW_REGION_STAMP, stamp)
    }

    /// The region is shared with other users on purpose: accept any owner and any permissions.
    pub fn shared(self, shared: bool) -> Self {
        self.flag(sys::FW_REGION_SHARED, shared)
    }

    /// Replace a region from before the last boot by a new one, in place of an error.  Only with
    /// [`create`](Self::create), and for names.
    pub fn renew(self, renew: bool) -> Self {
        self.flag(sys::FW_REGION_RENEW, renew)
    }

    fn checked(&self) -> Result<(usize, c_uint), Error> {
        if self.mode & !0o777 != 0 {
            return Err(Error::new(errno::EINVAL, "open the region with such permissions"));
        }
        let is_new = self.flags & sys::FW_REGION_CREATE != 0 && self.size == 0;
        let size = if is_new { sys::FW_REGION_MIN_SIZE } else { self.size };
        Ok((size, self.flags | self.mode))
    }

    /// Opens or creates a region by its name: "/name" for one in `/dev/shm`, or a file's path with
    /// another '/' in it.
    ///
    /// # Safety
    /// Everybody who can write to the region, this program included, keeps these rules:
    ///  - the data of a lock are changed only by threads that hold it (for writing), and never
    ///    behind its back: not through a copy of the file, another mapping, or another lock;
    ///  - nobody writes to the memory of the objects otherwise than by their functions.
    ///
    /// A process that is killed keeps the rules, and bytes that are no valid value of a lock's
    /// type are an error of the lock call.  If you cannot promise this for all who have
    /// permission to write: [`open_untrusted`](Self::open_untrusted).
    ///
    /// # Errors
    /// [`NotFound`](super::ErrorKind::NotFound),
    /// [`AlreadyExists`](super::ErrorKind::AlreadyExists),
    /// [`NotPermitted`](super::ErrorKind::NotPermitted) (a file of another user, with more
    /// permissions than asked for or with a second name, and not [`shared`](Self::shared)),
    /// [`Stale`](super::ErrorKind::Stale),
    /// [`Mismatch`](super::ErrorKind::Mismatch) (another version of the library, or smaller),
    /// [`Corrupted`](super::ErrorKind::Corrupted) (no region, or overwritten),
    /// [`NoSpace`](super::ErrorKind::NoSpace), [`TooMany`](super::ErrorKind::TooMany) (16 in a
    /// process), and what `open(2)` says.
    pub unsafe fn open(&self, name: impl AsRef<Path>) -> Result<Region, Error> {
        self.open_untrusted(name).map(Region)
    }

    /// The same, with no trust in anybody, and so without references to the data.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_untrusted(&self, name: impl AsRef<Path>) -> Result<UntrustedRegion, Error> {
        let name = name.as_ref();
        let text = c_name(name)?;
        let (size, flags) = self.checked()?;
        joined(|region| {
            // SAFETY: a C string, and a place for the result.
            unsafe { sys::fw_region_open(text.as_ptr(), size, flags, region) }
        })
        .map_err(|errno| Error::named(errno, "open the region", &name.to_string_lossy()))
    }

    /// The same in an open file: a memfd, or a descriptor that was inherited or received.  It is
    /// open for reading and writing, and may be closed afterwards.  Whose it is, is for the caller
    /// to check.
    ///
    /// # Safety
    /// As for [`open`](Self::open).
    ///
    /// # Errors
    /// As for [`open`](Self::open); `renew` is invalid.
    pub unsafe fn open_fd(&self, fd: BorrowedFd<'_>) -> Result<Region, Error> {
        self.open_fd_untrusted(fd).map(Region)
    }

    /// The same, with no trust in anybody.
    ///
    /// # Errors
    /// As for [`open_fd`](Self::open_fd).
    pub fn open_fd_untrusted(&self, fd: BorrowedFd<'_>) -> Result<UntrustedRegion, Error> {
        let (size, flags) = self.checked()?;
        joined(|region| {
            // SAFETY: a place for the result.
            unsafe { sys::fw_region_open_fd(fd.as_raw_fd(), size, flags, region) }
        })
        .map_err(|errno| Error::new(errno, "open the region of a descriptor"))
    }

    /// The same in a shared mapping of the caller's own: `size` bytes (an existing region may be
    /// smaller), page-aligned, zeroed before a region is created there.
    ///
    /// # Safety
    /// As for [`open`](Self::open); and the mapping stays until
    /// [`close`](UntrustedRegion::close) has succeeded, and is used for nothing else.
    ///
    /// # Errors
    /// As for [`open`](Self::open); also if the mapping overlaps with a region of this process.
    pub unsafe fn adopt(&self, memory: NonNull<u8>, size: usize) -> Result<Region, Error> {
        let (_, flags) = self.checked()?;
        joined(|region| {
            // SAFETY: the caller's promise.
            unsafe { sys::fw_region_adopt(memory.as_ptr().cast(), size, flags, region) }
        })
        .map(Region)
        .map_err(|errno| Error::new(errno, "open a region in a mapping"))
    }
}

fn joined(open: impl FnOnce(*mut *mut sys::fw_region) -> i32) -> Result<UntrustedRegion, i32> {
    let mut region = ptr::null_mut();
    let errno = open(&mut region);
    match NonNull::new(region) {
        Some(region) if errno == 0 => Ok(UntrustedRegion(Arc::new(Handle(region)))),
        _ => Err(errno),
    }
}

pub(super) fn c_name(name: &Path) -> Result<CString, Error> {
    CString::new(name.as_os_str().as_bytes())
        .map_err(|_| Error::named(errno::EINVAL, "open the region", &name.to_string_lossy()))
}

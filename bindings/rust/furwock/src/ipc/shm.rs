// SPDX-License-Identifier: MIT
//! What may lie in shared memory, and how bytes become values.

use std::mem::{align_of, needs_drop, size_of, MaybeUninit};
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering::Relaxed};

use zerocopy::{IntoBytes, KnownLayout, TryFromBytes};

/// A type whose values may lie in memory that processes share.
///
/// Nothing has to be implemented: a type has it if it has [`TryFromBytes`] (its bytes can be
/// checked), [`IntoBytes`] (it has no padding) and [`KnownLayout`] of the crate `zerocopy`,
/// version 0.8, which derives them.  Integers, floats, `bool`, `char`, the atomics and arrays of
/// such types have them; so do `repr(C)` structs and field-less enums by derivation.  Pointers and
/// references do not, and must not be smuggled in as integers: a region lies at another address
/// in each process.
///
/// A type with a destructor is refused when the program is compiled, since nobody would run it:
///
/// ```compile_fail
/// use furwock::ipc::{Mutex, Region};
/// use zerocopy::{IntoBytes, KnownLayout, TryFromBytes};
///
/// #[derive(TryFromBytes, IntoBytes, KnownLayout)]
/// #[repr(C)]
/// struct Noisy(u64);
///
/// impl Drop for Noisy {
///     fn drop(&mut self) {}
/// }
///
/// # // SAFETY: it does not get that far.
/// let region = unsafe { Region::options().open("/furwock-doc-none") }?;
/// let noisy = Mutex::<Noisy>::open(&region, "noisy")?; // the error is here
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
///
/// All users of an object have to mean the same by its bytes: give the type `repr(C)`, and do not
/// change it while a region exists.
pub trait ShmSafe: TryFromBytes + IntoBytes + KnownLayout + Send + 'static {}

impl<T: TryFromBytes + IntoBytes + KnownLayout + Send + 'static> ShmSafe for T {}

/// Objects of a region begin at multiples of this.
const OBJECT_ALIGNMENT: usize = 64;

struct Fits<T>(T);

impl<T> Fits<T> {
    const CHECKED: () = {
        assert!(!needs_drop::<T>(), "a type with a destructor cannot lie in shared memory");
        assert!(size_of::<T>() != 0, "there is nothing to share in a type without a size");
        assert!(align_of::<T>() <= OBJECT_ALIGNMENT, "objects are aligned to 64 bytes");
    };
}

/// Fails to compile for a type that cannot lie in a region.
pub(super) const fn assert_fits<T: ShmSafe>() {
    Fits::<T>::CHECKED
}

/// Are the bytes there a valid value?  Compiles to nothing if all bytes are.
///
/// # Safety
/// `data` is aligned, and nobody else uses it meanwhile.
#[inline]
pub(super) unsafe fn is_valid<T: ShmSafe>(data: NonNull<T>) -> bool {
    // SAFETY: all bytes are initialised (a mapping's are), and ours alone for now.
    let bytes = unsafe { slice::from_raw_parts_mut(data.as_ptr().cast::<u8>(), size_of::<T>()) };
    T::try_mut_from_bytes(bytes).is_ok()
}

/// Copies bytes that others may be changing; what arrives may be a mixture.
///
/// # Safety
/// `from` is aligned to 8, and stays mapped.
#[inline]
pub(super) unsafe fn load(from: NonNull<u8>, to: &mut [u8]) {
    let mut chunks = to.chunks_exact_mut(8);
    let mut at = from.as_ptr();
    for chunk in &mut chunks {
        // SAFETY: within the object, and aligned, since the start is and the steps are words.
        let word = unsafe { &*at.cast::<AtomicU64>() }.load(Relaxed);
        chunk.copy_from_slice(&word.to_ne_bytes());
        at = at.wrapping_add(8);
    }
    for byte in chunks.into_remainder() {
        // SAFETY: within the object.
        *byte = unsafe { &*at.cast::<AtomicU8>() }.load(Relaxed);
        at = at.wrapping_add(1);
    }
}

/// The reverse.
///
/// # Safety
/// As [`load`].
#[inline]
pub(super) unsafe fn store(to: NonNull<u8>, from: &[u8]) {
    let mut at = to.as_ptr();
    let chunks = from.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        let word = u64::from_ne_bytes(chunk.try_into().unwrap());
        // SAFETY: as in `load`.
        unsafe { &*at.cast::<AtomicU64>() }.store(word, Relaxed);
        at = at.wrapping_add(8);
    }
    for &byte in rest {
        // SAFETY: as in `load`.
        unsafe { &*at.cast::<AtomicU8>() }.store(byte, Relaxed);
        at = at.wrapping_add(1);
    }
}

/// A copy of the value there, if the copied bytes are one.
///
/// # Safety
/// `data` is aligned to 64, and stays mapped.
pub(super) unsafe fn read<T: ShmSafe>(data: NonNull<T>) -> Option<T> {
    let mut copy = MaybeUninit::<T>::zeroed();
    // SAFETY: zeroed, so all bytes are initialised; `copy` is not used otherwise meanwhile.
    let bytes =
        unsafe { slice::from_raw_parts_mut(copy.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
    // SAFETY: the caller's promise.
    unsafe { load(data.cast(), bytes) };
    T::try_read_from_bytes(bytes).ok()
}

/// Replaces the value there.
///
/// # Safety
/// As [`read`].
pub(super) unsafe fn write<T: ShmSafe>(data: NonNull<T>, mut value: T) {
    let start = (&mut value as *mut T).cast::<u8>();
    // SAFETY: all bytes are initialised, since such a type has no padding.
    let bytes = unsafe { slice::from_raw_parts(start, size_of::<T>()) };
    // SAFETY: the caller's promise.
    unsafe { store(data.cast(), bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(TryFromBytes, IntoBytes, KnownLayout, Debug, PartialEq, Clone, Copy)]
    #[repr(C, align(8))]
    struct Odd {
        words: [u32; 3],
        flags: [bool; 4],
    }

    #[test]
    fn copies_are_whole_and_checked() {
        let mut memory = [0_u64; 2];
        let at = NonNull::new(memory.as_mut_ptr().cast::<Odd>()).unwrap();
        let value = Odd { words: [1, 2, 3], flags: [true, false, true, true] };
        // SAFETY: memory is aligned to 8, which is enough for Odd.
        unsafe {
            write(at, value);
            assert_eq!(read(at), Some(value));
            assert!(is_valid(at));
            at.as_ptr().cast::<u8>().add(13).write(2); // no bool
            assert_eq!(read(at), None);
            assert!(!is_valid(at));
        }
    }

    #[test]
    fn the_last_bytes_are_copied_one_by_one() {
        let mut memory = [0_u64; 2];
        let at = NonNull::new(memory.as_mut_ptr().cast::<[u8; 11]>()).unwrap();
        let value = *b"hello world";
        // SAFETY: as above.
        unsafe {
            write(at, value);
            assert_eq!(read(at), Some(value));
        }
        assert_eq!(memory[1] >> 24, 0, "nothing beyond the value is written");
    }
}

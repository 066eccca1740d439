// SPDX-License-Identifier: MIT
//! What the locks with data have in common, word for word.

/// `open` and its like.
macro_rules! constructors {
    ($region:ident, $what:literal) => {
        #[doc = concat!("The ", $what, " of that name.")]
        ///
        /// # Errors
        /// [`NotFound`](super::ErrorKind::NotFound), [`Mismatch`](super::ErrorKind::Mismatch) (an
        /// object of another kind, or smaller data), [`Corrupted`](super::ErrorKind::Corrupted).
        pub fn open(region: &$region, name: &str) -> Result<Self, Error> {
            Self::with_options(region, name, &LockOptions::new(), None)
        }

        #[doc = concat!("The ", $what, " of that name; a new one, with that value, if there is")]
        /// none.
        ///
        /// # Errors
        /// As for [`open`](Self::open), and [`NoSpace`](super::ErrorKind::NoSpace) in the region,
        /// [`NoSlot`](super::ErrorKind::NoSlot).
        pub fn open_or_create(region: &$region, name: &str, value: T) -> Result<Self, Error> {
            Self::with_options(region, name, &LockOptions::new(), Some(value))
        }

        #[doc = concat!("The ", $what, " of that name, with those options.")]
        ///
        /// # Errors
        /// As for [`open`](Self::open).
        pub fn open_with(
            region: &$region,
            name: &str,
            options: &LockOptions,
        ) -> Result<Self, Error> {
            Self::with_options(region, name, options, None)
        }

        #[doc = concat!("The ", $what, " of that name, with those options; a new one if there")]
        /// is none.
        ///
        /// # Errors
        /// As for [`open_or_create`](Self::open_or_create);
        /// [`AlreadyExists`](super::ErrorKind::AlreadyExists) with
        /// [`create_new`](LockOptions::create_new); [`Mismatch`](super::ErrorKind::Mismatch) also
        /// if there is one without a journal, or with one of another capacity.
        pub fn open_or_create_with(
            region: &$region,
            name: &str,
            options: &LockOptions,
            value: T,
        ) -> Result<Self, Error> {
            Self::with_options(region, name, options, Some(value))
        }

        fn with_options(
            region: &$region,
            name: &str,
            options: &LockOptions,
            value: Option<T>,
        ) -> Result<Self, Error> {
            Ok(Self { parts: Parts::open(region, name, options, value)? })
        }
    };
}

/// The first half of [`Exclusive`](super::guard::Exclusive).
macro_rules! exclusive_parts {
    () => {
        #[inline]
        fn data(&self) -> NonNull<T> {
            self.parts.data
        }

        #[inline]
        fn journal(&self) -> Option<NonNull<sys::fw_ipc_journal>> {
            self.parts.journal
        }

        #[inline]
        fn is_poisoned(&self) -> bool {
            self.parts.is_poisoned()
        }

        fn set_poisoned(&self, poisoned: bool) {
            self.parts.set_poisoned(poisoned);
        }
    };
}

/// The calls of C.
macro_rules! exclusive_calls {
    ($unlock:ident, $consistent:ident, $generation:ident, $death:ident) => {
        #[inline]
        fn unlock(&self) -> i32 {
            // SAFETY: a lock in a region that is open.
            unsafe { sys::$unlock(self.parts.lock.as_ptr()) }
        }

        fn consistent(&self) -> i32 {
            // SAFETY: the same.
            unsafe { sys::$consistent(self.parts.lock.as_ptr()) }
        }

        fn generation(&self) -> u64 {
            // SAFETY: the same.
            unsafe { sys::$generation(self.parts.lock.as_ptr()) }
        }

        fn death(&self, death: &mut sys::fw_ipc_death) -> i32 {
            // SAFETY: the same, and a place for the result.
            unsafe { sys::$death(self.parts.lock.as_ptr(), death) }
        }
    };
}

/// `open` and `open_or_create` of an object without parameters.
macro_rules! object_constructors {
    ($what:literal) => {
        #[doc = concat!("The ", $what, " of that name.")]
        ///
        /// # Errors
        /// [`NotFound`](super::ErrorKind::NotFound), [`Mismatch`](super::ErrorKind::Mismatch) (an
        /// object of another kind), [`Corrupted`](super::ErrorKind::Corrupted).
        pub fn open(region: &UntrustedRegion, name: &str) -> Result<Self, Error> {
            Self::with(region, name, Creation::Never)
        }

        #[doc = concat!("The ", $what, " of that name; a new one if there is none.")]
        ///
        /// # Errors
        /// As for [`open`](Self::open), and [`NoSpace`](super::ErrorKind::NoSpace),
        /// [`NoSlot`](super::ErrorKind::NoSlot).
        pub fn open_or_create(region: &UntrustedRegion, name: &str) -> Result<Self, Error> {
            Self::with(region, name, Creation::IfMissing)
        }
    };
}

// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_JOURNAL_HPP
#define FURWOCK_IPC_JOURNAL_HPP

#include <type_traits>

#include <furwock/ipc/journal.h>
#include <furwock/ipc/mutex.hpp>
#include <furwock/ipc/named.h>
#include <furwock/ipc/region.hpp>
#include <furwock/ipc/rwlock.hpp>

namespace fw::ipc {

/*
 * fw_ipc_journal (furwock/ipc/journal.h): record the old contents before they are changed; if the
 * process dies before it releases the lock, the next owner finds the data as they were, and
 * owner_died() is false.
 */
class journal {
  public:
    using native_handle_type = fw_ipc_journal *;

    journal(const journal &) = delete;
    journal &operator=(const journal &) = delete;

    /*
     * Records bytes, or an object, that is about to be changed.  Throws std::system_error: ENOSPC
     * (no space left; nothing was recorded), EINVAL (not in the region), EUCLEAN, EAGAIN.
     */
    void record(const void *bytes, std::size_t n)
    {
        detail::check(fw_ipc_journal_record(&j_, bytes, n), "fw::ipc::journal::record");
    }

    template <class T> void record(const T &object)
    {
        static_assert(std::is_trivially_copyable_v<T>, "it is restored byte by byte");
        record(&object, sizeof object);
    }

    /* Restores what was recorded since the last commit. */
    void undo()
    {
        detail::check(fw_ipc_journal_undo(&j_), "fw::ipc::journal::undo");
    }

    /* Makes the changes final.  (The release of the lock does so, too.) */
    void commit()
    {
        detail::check(fw_ipc_journal_commit(&j_), "fw::ipc::journal::commit");
    }

    native_handle_type native_handle() noexcept
    {
        return &j_;
    }

  private:
    fw_ipc_journal j_;
};

/*
 * A lock (ipc::mutex, ipc::shared_mutex) made together with its journal, attached from the first
 * moment.  `capacity`: bytes of records, FW_IPC_JOURNAL_RECORD(size) for each.
 *
 *     auto bank = fw::ipc::journaled<>::find_or_construct(region, "bank", 1024);
 *
 *     auto held = bank.lock.lock();
 *     bank.undo.record(from), bank.undo.record(to);
 *     from -= amount, to += amount;
 */
template <class Lock = mutex> struct journaled {
    Lock &lock;
    journal &undo;

    static journaled find_or_construct(region &r, const std::string &name, std::size_t capacity)
    {
        fw_ipc_journal *j = nullptr;
        int error;
        Lock *found;

        if constexpr (std::is_same_v<Lock, mutex>) {
            fw_ipc_mutex *m = nullptr;
            error = fw_region_mutex_with_journal(r.native_handle(), name.c_str(), capacity,
                                                 FW_REGION_CREATE, &m, &j);
            found = detail::as<Lock>(m);
        } else {
            fw_ipc_rwlock *l = nullptr;
            error = fw_region_rwlock_with_journal(r.native_handle(), name.c_str(), capacity,
                                                  FW_REGION_CREATE, &l, &j);
            found = detail::as<Lock>(l);
        }
        detail::check(error, name.c_str());
        return {*found, *detail::as<journal>(j)};
    }
};

} // namespace fw::ipc

#endif

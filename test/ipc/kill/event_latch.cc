// SPDX-License-Identifier: MIT
/*
 * fw::ipc::event and fw::ipc::latch, which are made in C++: whoever dies in a call has set, reset,
 * taken or counted, or has not, and others that wait are let go.
 */

/* A store is a step here, too: test/support/kill_at_step_calls.h. */
extern "C" void fw_step_(void);
#define __atomic_store_n(...) (fw_step_(), __atomic_store_n(__VA_ARGS__))

#include <cstring>
#include <new>

#include <furwock/ipc/event.hpp>
#include <furwock/ipc/latch.hpp>

#define _Noreturn [[noreturn]] /* as the tests' headers, which are C, have it */
extern "C" {
#include "region.h"
}

namespace {

fw::ipc::event *e;
fw::ipc::latch *l;

void prepare()
{
    e = static_cast<fw::ipc::event *>(object_new(sizeof *e));
    l = static_cast<fw::ipc::latch *>(object_new(sizeof *l));
}

void reset_manual()
{
    std::memset(static_cast<void *>(e), 0, sizeof *e);
    new (e) fw::ipc::event;
}

void reset_automatic()
{
    std::memset(static_cast<void *>(e), 0, sizeof *e);
    new (e) fw::ipc::event(fw::event_kind::automatic);
}

void set()
{
    e->set();
}

void unset()
{
    e->reset();
}

void wait()
{
    e->wait();
}

void reset_manual_set()
{
    reset_manual();
    set();
}

void reset_automatic_set()
{
    reset_automatic();
    set();
}

void survive_manual()
{
    set();
    CHECK(e->is_set() && e->try_wait());
    wait();
}

void survive_automatic()
{
    do /* others take, too */
        set();
    while (!e->wait_for(std::chrono::milliseconds(1)));
}

void reset_latch()
{
    std::memset(static_cast<void *>(l), 0, sizeof *l);
    new (l) fw::ipc::latch(1);
}

/* Unless another one has. */
void count()
{
    try {
        l->count_down();
    } catch (const std::system_error &error) {
        CHECK(error.code().value() == EINVAL && l->try_wait());
    }
}

void wait_for_count()
{
    l->wait();
}

void survive_latch()
{
    count();
    CHECK(l->try_wait());
    wait_for_count();
    l->count_down(0);
}

/* --- Others, beside the victim --------------------------------------------------------------- */

void set_when_victim_idle()
{
    peer_is_ready();
    await_victim_idle();
    set();
}

void count_when_victim_idle()
{
    peer_is_ready();
    await_victim_idle();
    count();
}

void wait_first()
{
    await_admission();
    wait();
}

void wait_for_count_first()
{
    await_admission();
    wait_for_count();
}

void admit_one()
{
    become_participant();
    admit_peer();
}

const kill_case event_cases[] = {
    {"set", reset_manual, nullptr, become_participant, set, set, survive_manual, ANY_CHANGES},
    {"set, another sleeps", reset_manual, wait_first, admit_one, set, nullptr, survive_manual,
     ANY_CHANGES},
    {"reset", reset_manual_set, nullptr, become_participant, unset, set, survive_manual,
     ANY_CHANGES},
    {"wait, not set", reset_manual, set_when_victim_idle, become_participant, wait, nullptr,
     survive_manual, ANY_CHANGES},
    {"automatic: set", reset_automatic, nullptr, become_participant, set, set, survive_automatic,
     ANY_CHANGES},
    {"automatic: set, another sleeps", reset_automatic, wait_first, admit_one, set, nullptr, set,
     ANY_CHANGES}, /* survivors take nothing: others would miss it */
    {"automatic: wait", reset_automatic_set, nullptr, become_participant, wait, set, set,
     ANY_CHANGES},
    {"automatic: wait, not set", reset_automatic, set_when_victim_idle, become_participant, wait,
     nullptr, set, ANY_CHANGES},
    {}};

const kill_case latch_cases[] = {{"count down", reset_latch, nullptr, become_participant, count,
                                  count, survive_latch, ANY_CHANGES},
                                 {"count down, another sleeps", reset_latch, wait_for_count_first,
                                  admit_one, count, nullptr, survive_latch, ANY_CHANGES},
                                 {"wait", reset_latch, count_when_victim_idle, become_participant,
                                  wait_for_count, nullptr, survive_latch, ANY_CHANGES},
                                 {}};

kill_table table(const char *name, const kill_case *cases)
{
    kill_table t = {};

    t.name = name;
    t.cases = cases;
    t.prepare = prepare;
    return t;
}

} // namespace

extern "C" {
extern const kill_table event_table, latch_table;
const kill_table event_table = table("event", event_cases);
const kill_table latch_table = table("latch", latch_cases);
}

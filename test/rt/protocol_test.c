/* SPDX-License-Identifier: MIT */
/* The protocols' names and kinds: rt/protocol.c, rt/why.c. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "rt/internal.h"
#include "test/support/unit.h"

TEST(names_lead_back)
{
    for (int p = FW_RT_PIP; p <= FW_RT_PROTOCOLS; p++) {
        const char *name = fw_rt_protocol_name((fw_rt_protocol)p);
        assert_non_null(name);
        assert_int_equal(fw_rt_protocol_named(name), p);
        assert_int_not_equal(fw_rt_kind_of_((fw_rt_protocol)p), FW_RT_KIND_NONE);
    }
    assert_int_equal(fw_rt_protocol_named("pcp-du-bool"), FW_RT_PCP_DU);
    assert_int_equal(fw_rt_protocol_named("fmlp+"), FW_RT_FMLP);
}

TEST(others_have_none)
{
    static const int others[] = {0, -1, FW_RT_PROTOCOLS + 1, 1 << 30};

    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        assert_null(fw_rt_protocol_name((fw_rt_protocol)others[i]));
        assert_int_equal(fw_rt_kind_of_((fw_rt_protocol)others[i]), FW_RT_KIND_NONE);
        assert_false(fw_rt_asks_kernel_((fw_rt_protocol)others[i]));
    }
    assert_int_equal(fw_rt_protocol_named("PCP-DU"), 0);
    assert_int_equal(fw_rt_protocol_named(""), 0);
    assert_int_equal(fw_rt_protocol_named(NULL), 0);
}

TEST(the_baselines_ask_the_kernel)
{
    for (int p = FW_RT_PIP; p <= FW_RT_PROTOCOLS; p++)
        assert_int_equal(fw_rt_asks_kernel_((fw_rt_protocol)p),
                         p == FW_RT_PCP || p == FW_RT_MPCP || p == FW_RT_FMLP);
}

static void *look_from_elsewhere(void *unused)
{
    (void)unused;
    return fw_rt_strerror()[0] == '\0' ? NULL : "something";
}

TEST(a_sentence_is_kept_until_it_goes_well)
{
    char longest[1000];
    pthread_t other;
    void *seen = NULL;

    assert_string_equal(fw_rt_strerror(), "");
    assert_int_equal(fw_rt_fail_(EPERM, "no %s for %d", "way", 3), EPERM);
    assert_string_equal(fw_rt_strerror(), "no way for 3");
    assert_int_equal(pthread_create(&other, NULL, look_from_elsewhere, NULL), 0);
    pthread_join(other, &seen);
    assert_null(seen);
    fw_rt_good_();
    assert_string_equal(fw_rt_strerror(), "");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    fw_rt_fail_(EINVAL, "%s", longest);
    assert_in_range(strlen(fw_rt_strerror()), 100, sizeof longest);
    fw_rt_good_();
}

UNIT_MAIN(NULL, NULL)

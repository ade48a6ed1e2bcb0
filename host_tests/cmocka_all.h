/* cmocka.h with the four headers it needs before it. */
#ifndef HOST_TESTS_CMOCKA_ALL_H
#define HOST_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka 2 has another name for it, which Debian 12's 1.1 does not know. */
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range(value, minimum, maximum) assert_uint_in_range(value, minimum, maximum)
#endif

#endif

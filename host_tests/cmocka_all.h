/* cmocka.h with the four headers it needs before it. */
#ifndef HOST_TESTS_CMOCKA_ALL_H
#define HOST_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif

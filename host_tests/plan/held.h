/* held.h: what the library holds between two moments of a test: memory, and mutexes. New memory is
 * full of rubbish. A program that is linked with this has the linker hand it what the library calls
 * of mutexes (CMakeLists.txt). For tests that open and drop their devices themselves.
 */
#ifndef HOST_TESTS_PLAN_HELD_H
#define HOST_TESTS_PLAN_HELD_H

/* For cmocka: before a test, and behind it, when nothing may be held any more. */
int held_set_up(void **state);
int held_tear_down(void **state);

#define HELD_TEST(test) cmocka_unit_test_setup_teardown(test, held_set_up, held_tear_down)

#endif

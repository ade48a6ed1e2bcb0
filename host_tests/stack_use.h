/* stack_use.h: how much of a thread's stack a call takes. */
#ifndef HOST_TESTS_STACK_USE_H
#define HOST_TESTS_STACK_USE_H

#include <stddef.h>

/* Bytes of a new thread's stack that run(argument) uses beside what every thread takes. */
size_t stack_used_by(void (*run)(void *argument), void *argument);

#endif

/* sanitizers.h: what tests have to know of the sanitizers that they are built
 * with. Depends on nothing. */
#ifndef HOST_TESTS_CPU_SANITIZERS_H
#define HOST_TESTS_CPU_SANITIZERS_H

#if defined(__has_feature)
#define HAS_SANITIZER(name) __has_feature(name)
#else
#define HAS_SANITIZER(name) 0
#endif

/* A thread sanitizer follows no threads that a child starts, and starts one of its own beside the
 * process' first. */
#if defined(__SANITIZE_THREAD__) || HAS_SANITIZER(thread_sanitizer)
#define FOLLOWS_FORKS     0
#define SANITIZER_THREADS 1
#else
#define FOLLOWS_FORKS     1
#define SANITIZER_THREADS 0
#endif

/* Sanitizers put more on the stack, and ask for more memory, than the library does. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) ||                               \
    HAS_SANITIZER(thread_sanitizer) || HAS_SANITIZER(address_sanitizer) ||                         \
    HAS_SANITIZER(memory_sanitizer)
#define LEAVES_MEMORY_ALONE 0
#else
#define LEAVES_MEMORY_ALONE 1
#endif

#endif

/* sanitizers.h: what tests have to know of the sanitizers that they are built
 * with. Depends on nothing. */
#ifndef HOST_TESTS_CPU_SANITIZERS_H
#define HOST_TESTS_CPU_SANITIZERS_H

#if defined(__has_feature)
#define HAS_SANITIZER(name) __has_feature(name)
#else
#define HAS_SANITIZER(name) 0
#endif

/* A thread sanitizer starts a thread of its own beside the process' first. */
#if defined(__SANITIZE_THREAD__) || HAS_SANITIZER(thread_sanitizer)
#define SANITIZER_THREADS 1
#else
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

/* A thread that begins, or that allocates, leaves a sanitizer's own allocator locked in a child of
 * fork(); nor does a thread sanitizer follow threads that the child starts. */
#define FOLLOWS_FORKS LEAVES_MEMORY_ALONE

#endif

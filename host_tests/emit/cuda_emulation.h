/* cuda_emulation.h: what kernels for CUDA ask of a device, on a processor: a block's threads are
 * contexts that go on in turns, each until it ends or comes to a barrier.
 *
 * A block whose threads do not all come to the same barriers ends the process. */
#ifndef HOST_TESTS_EMIT_CUDA_EMULATION_H
#define HOST_TESTS_EMIT_CUDA_EMULATION_H

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __shared__               static
#define __forceinline__          inline
#define __launch_bounds__(count) __attribute__((noinline))

enum { MOST_THREADS = 1024, STACK_BYTES = 1 << 16 };

struct coordinate {
  unsigned x;
};

static coordinate threadIdx, blockIdx;

struct emulated_thread {
  ucontext_t context;
  bool has_ended;
  unsigned barriers; /* that it came to */
};

static emulated_thread emulated_threads[MOST_THREADS];
static char emulated_stacks[MOST_THREADS][STACK_BYTES] __attribute__((aligned(64)));
static ucontext_t emulated_block;
static void (*emulated_kernel)(void);

static inline int __clz(int value) {
  return value == 0 ? 32 : __builtin_clz((unsigned)value);
}

static inline int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll((unsigned long long)value);
}

static void __syncthreads(void) {
  emulated_thread *const own = &emulated_threads[threadIdx.x];
  ++own->barriers;
  swapcontext(&own->context, &emulated_block);
}

static void emulated_run_thread(void) {
  emulated_kernel();
  emulated_threads[threadIdx.x].has_ended = true;
}

/* All of a block's threads up to their next barrier; how many have ended. */
static unsigned emulated_step(unsigned threads) {
  unsigned ended = 0;
  for (unsigned t = 0; t < threads; ++t) {
    threadIdx.x = t;
    swapcontext(&emulated_block, &emulated_threads[t].context);
    ended += emulated_threads[t].has_ended;
    if (emulated_threads[t].barriers != emulated_threads[0].barriers) {
      fprintf(stderr, "thread %u of block %u comes to other barriers\n", t, blockIdx.x);
      exit(1);
    }
  }
  return ended;
}

static void emulated_launch(void (*kernel)(void), unsigned blocks, unsigned threads) {
  emulated_kernel = kernel;
  for (unsigned b = 0; b < blocks; ++b) {
    blockIdx.x = b;
    for (unsigned t = 0; t < threads; ++t) {
      emulated_thread *const made = &emulated_threads[t];
      getcontext(&made->context);
      made->context.uc_stack.ss_sp = emulated_stacks[t];
      made->context.uc_stack.ss_size = STACK_BYTES;
      made->context.uc_link = &emulated_block;
      made->has_ended = false;
      made->barriers = 0;
      makecontext(&made->context, emulated_run_thread, 0);
    }
    unsigned ended = 0;
    while (ended == 0) {
      ended = emulated_step(threads);
    }
    if (ended < threads) {
      fprintf(stderr, "of block %u only %u threads end together\n", b, ended);
      exit(1);
    }
  }
}

#endif

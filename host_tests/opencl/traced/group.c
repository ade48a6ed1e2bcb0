/* group.c: a work-group of a kernel run on the host, and what it costs a GPU. */
#include "opencl/traced/group.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cmocka_all.h"

enum { STACK_BYTES = 64 << 10, SUB_GROUP = 32, MOST_INSTRUCTIONS = 512 };

/* ---- Work-items ---- */

static struct {
  ucontext_t scheduler;
  ucontext_t items[TRACED_GROUP_SIZE];
  bool is_done[TRACED_GROUP_SIZE];
  uint32_t rounds[TRACED_GROUP_SIZE];
  char *stacks;
  size_t item;
  size_t group;
  traced_kernel *kernel;
  const traced_memory *memory;
} running;

static void begin_item(void) {
  running.kernel(&running.memory->arguments);
  running.is_done[running.item] = true;
}

size_t traced_group_id(void) {
  return running.group;
}

/* Kernels ask this in each round of their loops over a tile, also those work-items
 * that have nothing to do in it. */
size_t traced_local_id(void) {
  running.rounds[running.item] += 1;
  return running.item;
}

void traced_barrier(void) {
  swapcontext(&running.items[running.item], &running.scheduler);
}

/* ---- Accesses ---- */

static struct {
  traced_access *accesses;
  size_t count;
  size_t capacity;
  size_t instruction_count;
  uintptr_t instructions[MOST_INSTRUCTIONS];
  uint32_t rounds[MOST_INSTRUCTIONS][TRACED_GROUP_SIZE];
  uint32_t occurrences[MOST_INSTRUCTIONS][TRACED_GROUP_SIZE];
} noted;

static bool is_in(uintptr_t address, const void *start, size_t size) {
  return address - (uintptr_t)start < size;
}

/* Variables of the program that are not on a work-item's stack are the kernel's local ones. */
extern char __data_start, _end;

static traced_space space_of(uintptr_t address) {
  const traced_memory *const memory = running.memory;
  const traced_arguments *const with = &memory->arguments;
  if (is_in(address, with->source, memory->source_size)) {
    return TRACED_SOURCE;
  }
  if (is_in(address, with->destination, memory->destination_size)) {
    return TRACED_DESTINATION;
  }
  if (is_in(address, with->tables, memory->tables_size)) {
    return TRACED_TABLES;
  }
  if (is_in(address, with->local, memory->local_size) ||
      (memory->local_size == 0 && is_in(address, &__data_start, (size_t)(&_end - &__data_start)))) {
    return TRACED_LOCAL;
  }
  return TRACED_ELSEWHERE;
}

static size_t number_of(uintptr_t instruction) {
  size_t i = 0;
  while (i < noted.instruction_count && noted.instructions[i] != instruction) {
    ++i;
  }
  if (i == noted.instruction_count) {
    assert_true(noted.instruction_count < MOST_INSTRUCTIONS);
    noted.instructions[noted.instruction_count++] = instruction;
    memset(noted.rounds[i], 0, sizeof noted.rounds[i]);
  }
  return i;
}

static void note(const void *pointer, size_t bytes, void *instruction) {
  const uintptr_t address = (uintptr_t)pointer;
  const traced_space space = space_of(address);
  if (space == TRACED_ELSEWHERE) {
    return;
  }
  if (noted.count == noted.capacity) {
    noted.capacity = noted.capacity == 0 ? 1 << 16 : 2 * noted.capacity;
    noted.accesses = realloc(noted.accesses, noted.capacity * sizeof *noted.accesses);
    assert_non_null(noted.accesses);
  }
  const size_t number = number_of((uintptr_t)instruction);
  const uint32_t round = running.rounds[running.item];
  uint32_t *const occurrence = &noted.occurrences[number][running.item];
  if (noted.rounds[number][running.item] != round) {
    noted.rounds[number][running.item] = round;
    *occurrence = 0;
  }
  noted.accesses[noted.count++] = (traced_access){.address = address,
                                                  .instruction = (uintptr_t)instruction,
                                                  .round = round,
                                                  .occurrence = (*occurrence)++,
                                                  .item = (uint16_t)running.item,
                                                  .space = (uint8_t)space,
                                                  .bytes = (uint8_t)bytes};
}

/* What the compiler calls in front of each access. */
#define NOTES(name, bytes)                                                                         \
  void __tsan_##name(void *address);                                                               \
  void __tsan_##name(void *address) {                                                              \
    note(address, bytes, __builtin_return_address(0));                                             \
  }
NOTES(read1, 1)
NOTES(read2, 2)
NOTES(read4, 4)
NOTES(read8, 8)
NOTES(read16, 16)
NOTES(write1, 1)
NOTES(write2, 2)
NOTES(write4, 4)
NOTES(write8, 8)
NOTES(write16, 16)
NOTES(unaligned_read2, 2)
NOTES(unaligned_read4, 4)
NOTES(unaligned_read8, 8)
NOTES(unaligned_read16, 16)
NOTES(unaligned_write2, 2)
NOTES(unaligned_write4, 4)
NOTES(unaligned_write8, 8)
NOTES(unaligned_write16, 16)

void __tsan_init(void);
void __tsan_init(void) {
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller) {
  (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void) {
}

/* ---- Groups ---- */

static int by_moment(const void *a, const void *b) {
  const traced_access *const left = a;
  const traced_access *const right = b;
  const int sub_groups = left->item / SUB_GROUP - right->item / SUB_GROUP;
  if (sub_groups != 0) {
    return sub_groups;
  }
  if (left->instruction != right->instruction) {
    return left->instruction < right->instruction ? -1 : 1;
  }
  if (left->round != right->round) {
    return left->round < right->round ? -1 : 1;
  }
  if (left->occurrence != right->occurrence) {
    return left->occurrence < right->occurrence ? -1 : 1;
  }
  return left->item - right->item;
}

const traced_access *traced_run(traced_kernel *kernel, const traced_memory *memory, size_t group,
                                size_t *count) {
  if (running.stacks == NULL) {
    running.stacks = malloc((size_t)TRACED_GROUP_SIZE * STACK_BYTES);
    assert_non_null(running.stacks);
  }
  running.kernel = kernel;
  running.memory = memory;
  running.group = group;
  noted.count = 0;
  noted.instruction_count = 0;
  for (size_t i = 0; i < TRACED_GROUP_SIZE; ++i) {
    getcontext(&running.items[i]);
    running.items[i].uc_stack.ss_sp = running.stacks + i * STACK_BYTES;
    running.items[i].uc_stack.ss_size = STACK_BYTES;
    running.items[i].uc_link = &running.scheduler;
    makecontext(&running.items[i], begin_item, 0);
    running.is_done[i] = false;
    running.rounds[i] = 0;
  }
  while (!running.is_done[0]) {
    for (size_t i = 0; i < TRACED_GROUP_SIZE; ++i) {
      assert_int_equal(running.is_done[i], false); /* all meet every barrier */
      running.item = i;
      swapcontext(&running.scheduler, &running.items[i]);
    }
  }
  qsort(noted.accesses, noted.count, sizeof *noted.accesses, by_moment);
  *count = noted.count;
  return noted.accesses;
}

/* own_memory.c: the library takes its memory from the program, and tells it what it does. */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* [allocator] */
/* What a program's allocator could be: it counts blocks. The library calls it from any thread;
 * here, there is one. */
typedef struct arena {
  int held;
} arena;

static void *take(void *context, size_t size, size_t alignment) {
  const size_t whole = (size + alignment - 1) / alignment * alignment;
  void *block = aligned_alloc(alignment < sizeof(void *) ? sizeof(void *) : alignment,
                              whole < sizeof(void *) ? sizeof(void *) : whole);
  ((arena *)context)->held += block != NULL;
  return block;
}

static void give_back(void *context, void *block) {
  ((arena *)context)->held -= 1;
  free(block);
}
/* [log] */
static void hear(void *context, relayout_log_level level, const char *message) {
  static const char *const names[] = {"info", "warning", "error"};
  fprintf(context, "%s: %s\n", names[level], message);
}
/* [end] */

static void must(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

int main(void) {
  relayout_error error;
  relayout_device *device = NULL;
  /* [use] */
  arena memory = {0};
  relayout_allocator allocator = RELAYOUT_ALLOCATOR_INIT;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  allocator.allocate = take;
  allocator.release = give_back;
  allocator.context = &memory;
  must(relayout_set_allocator(&allocator, &error), &error); /* before the first device */
  relayout_set_log(hear, stderr);
  options.threads = 1;
  must(relayout_cpu_device_create(&options, &device, &error), &error);
  printf("blocks with a device: %s\n", memory.held > 0 ? "some" : "none");
  relayout_device_destroy(device);
  printf("blocks without one: %d\n", memory.held);
  must(relayout_set_allocator(NULL, &error), &error); /* the C library's again */
  /* [done] */
  return 0;
}

/* Poisoning, guarding and comparing buffers. */
#include "conformance/trial.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "oracle/oracle.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define HAS_ADDRESS_SANITIZER 0
#endif

#if HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define WATCH(address, size)   __asan_poison_memory_region(address, size)
#define UNWATCH(address, size) __asan_unpoison_memory_region(address, size)
#else
#define WATCH(address, size)   ((void)(address), (void)(size))
#define UNWATCH(address, size) ((void)(address), (void)(size))
#endif

/* malloc may return NULL for nothing. */
static unsigned char *allocate(size_t size) {
  return malloc(size > 0 ? size : 1);
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* The shape's elements in the order of ascending multi-indices. */
static relayout_shape elements_of(const relayout_shape *shape) {
  relayout_shape elements = *shape;
  memset(&elements.layout, 0, sizeof(elements.layout));
  elements.layout.rank = shape->rank;
  for (int32_t i = 0; i < shape->rank; ++i) {
    elements.layout.minor_to_major[i] = shape->rank - 1 - i;
  }
  return elements;
}

/* Writes elements where the layout has them, over poison. */
static bool fill_source(trial *t) {
  const relayout_shape elements = elements_of(t->from);
  const size_t size = oracle_byte_size(&elements);
  unsigned char *bytes = allocate(size);
  if (bytes == NULL) {
    return false;
  }
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (unsigned char)(random_mix(i) % TRIAL_ELEMENT_BYTES);
  }
  relayout_shape keeping_padding = *t->from;
  keeping_padding.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  memset(t->source, TRIAL_SOURCE_POISON, t->source_size);
  oracle_relayout(&elements, &keeping_padding, bytes, t->source);
  free(bytes);
  return true;
}

bool trial_make(const relayout_shape *from, const relayout_shape *to, trial *made) {
  *made = (trial){from, to, oracle_byte_size(from), oracle_byte_size(to), NULL, NULL, NULL};
  made->source = allocate(made->source_size);
  made->before = allocate(made->destination_size);
  made->after = allocate(made->destination_size);
  if (made->source == NULL || made->before == NULL || made->after == NULL || !fill_source(made)) {
    trial_free(made);
    return false;
  }
  memset(made->before, TRIAL_DESTINATION_POISON, made->destination_size);
  memset(made->after, TRIAL_DESTINATION_POISON, made->destination_size);
  oracle_relayout(from, to, made->source, made->after);
  return true;
}

void trial_free(trial *made) {
  free(made->source);
  free(made->before);
  free(made->after);
  memset(made, 0, sizeof(*made));
}

/* ---- Guarded buffers ------------------------------------------------------------------------ */

bool guarded_buffer_make(const unsigned char *content, size_t size, size_t offset,
                         guarded_buffer *made) {
  *made =
      (guarded_buffer){NULL, GUARD_SIZE + offset, size, GUARD_SIZE + offset + size + GUARD_SIZE};
  void *bytes;
  if (posix_memalign(&bytes, GUARD_SIZE, made->total) != 0) {
    return false;
  }
  made->bytes = bytes;
  memset(made->bytes, TRIAL_GUARD, made->total);
  memcpy(made->bytes + made->start, content, size);
  return true;
}

void guarded_buffer_free(guarded_buffer *buffer) {
  free(buffer->bytes);
  memset(buffer, 0, sizeof(*buffer));
}

void guarded_buffer_watch(const guarded_buffer *buffer) {
  WATCH(buffer->bytes, buffer->start);
  WATCH(buffer->bytes + buffer->start + buffer->size, GUARD_SIZE);
}

void guarded_buffer_unwatch(const guarded_buffer *buffer) {
  UNWATCH(buffer->bytes, buffer->total);
}

bool guarded_buffer_differs(const guarded_buffer *buffer, const unsigned char *expected,
                            difference *first) {
  for (size_t i = 0; i < buffer->total; ++i) {
    const bool is_guard = i < buffer->start || i >= buffer->start + buffer->size;
    const unsigned wanted = is_guard ? TRIAL_GUARD : expected[i - buffer->start];
    if (buffer->bytes[i] != wanted) {
      *first = (difference){(int64_t)i - (int64_t)buffer->start, wanted, buffer->bytes[i]};
      return true;
    }
  }
  return false;
}

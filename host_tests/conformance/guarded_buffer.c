/* guarded_buffer.c: buffers with guards on both sides, made and compared. */
#include "conformance/guarded_buffer.h"

#include <string.h>

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

static size_t end_of(const guarded_buffer *buffer) {
  return buffer->start + buffer->size;
}

bool guarded_buffer_make(fenced_pages *pages, const unsigned char *content, size_t size,
                         buffer_place place, size_t offset, size_t origin, guarded_buffer *made) {
  const size_t least = place == PLACE_BETWEEN ? GUARD_SIZE + offset + size + GUARD_SIZE : size;
  if (!fenced_pages_resize(pages, least)) {
    return false;
  }
  const size_t start = place == PLACE_BETWEEN        ? GUARD_SIZE + offset
                       : place == PLACE_BEFORE_FENCE ? pages->size - size
                                                     : 0;
  *made = (guarded_buffer){pages->bytes, start, start + origin, size, pages->size, pages};
  memset(made->bytes, GUARD_BYTE, start);
  if (size > 0) {
    memcpy(made->bytes + start, content, size);
  }
  memset(made->bytes + end_of(made), GUARD_BYTE, made->total - end_of(made));
  return true;
}

void guarded_buffer_watch(const guarded_buffer *buffer) {
  WATCH(buffer->bytes, buffer->start);
  WATCH(buffer->bytes + end_of(buffer), buffer->total - end_of(buffer));
}

void guarded_buffer_unwatch(const guarded_buffer *buffer) {
  UNWATCH(buffer->bytes, buffer->total);
}

/* Bytes that are each like the next are like the first. */
static bool is_guard(const unsigned char *bytes, size_t size) {
  return size == 0 || (bytes[0] == GUARD_BYTE && memcmp(bytes, bytes + 1, size - 1) == 0);
}

bool guarded_buffer_differs(const guarded_buffer *buffer, const unsigned char *expected,
                            difference *first) {
  if (is_guard(buffer->bytes, buffer->start) &&
      memcmp(buffer->bytes + buffer->start, expected, buffer->size) == 0 &&
      is_guard(buffer->bytes + end_of(buffer), buffer->total - end_of(buffer))) {
    return false;
  }
  size_t i = 0;
  unsigned wanted = GUARD_BYTE;
  for (; i < buffer->total; ++i) {
    const bool is_inside = i >= buffer->start && i < end_of(buffer);
    wanted = is_inside ? expected[i - buffer->start] : GUARD_BYTE;
    if (buffer->bytes[i] != wanted) {
      break;
    }
  }
  *first = (difference){(int64_t)i - (int64_t)buffer->start, wanted, buffer->bytes[i]};
  return true;
}

/* Moving through host pointers. */
#include "conformance/mover.h"

relayout_status mover_execute(const relayout_plan *plan, const guarded_buffer *source,
                              const guarded_buffer *destination, relayout_error *error) {
  guarded_buffer_watch(source);
  guarded_buffer_watch(destination);
  fenced_pages_lock(source->pages);
  const relayout_status status = relayout_plan_execute(
      plan, source->bytes + source->origin, destination->bytes + destination->origin, error);
  fenced_pages_unlock(source->pages);
  guarded_buffer_unwatch(source);
  guarded_buffer_unwatch(destination);
  return status;
}

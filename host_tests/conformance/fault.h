/* fault.h: telling which case touched memory that is not there.
 *
 * Depends on guarded_buffer.h and failure.h.
 */
#ifndef CONFORMANCE_FAULT_H
#define CONFORMANCE_FAULT_H

#include "conformance/failure.h"
#include "conformance/guarded_buffer.h"

/* From the first call to the second a fault of any thread ends the process with EXIT_FAILURE, after
 * a line on stderr that says what was running. */
void fault_watch(void);
void fault_unwatch(void);

/* Says what is asked for from now on, by itself or in words of at most CONFORMANCE_FAILURE_SIZE; */
void fault_expect_request(const relayout_device *device, const request *asked);
void fault_expect_words(const char *asked);

/* and how that is done, and between which buffers: NULL while there are none. */
void fault_expect(const char *words, const guarded_buffer *source,
                  const guarded_buffer *destination);

#endif

/* no_flights.c: builds without OpenCL have no devices with queues. */
#include <stddef.h>

#include "stress/flights.h"

relayout_status event_board_create(relayout_device *device, event_board **made,
                                   relayout_error *error) {
  (void)device;
  (void)error;
  *made = NULL;
  return RELAYOUT_OK;
}

void event_board_destroy(event_board *used) {
  (void)used;
}

flights *flights_begin(stress *on, relayout_device *device, event_board *board, uint64_t *random) {
  (void)on;
  (void)device;
  (void)board;
  (void)random;
  return NULL;
}

void flights_end(flights *used) {
  (void)used;
}

void flights_start(flights *in, const relayout_plan *plan, const stress_case *of) {
  (void)in;
  (void)plan;
  (void)of;
}

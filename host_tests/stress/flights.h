/* flights.h: relayouts of an OpenCL device's buffers, several under way on a thread's own queues,
 * which wait for what other threads have enqueued.
 *
 * Queues are in and out of order, commands of one relayout lie on any of them. Beside what they
 * need, relayouts wait for other threads' commands, for markers, and for user events which their
 * thread sets later. Plans and buffers are released while the work is under way.
 */
#ifndef STRESS_FLIGHTS_H
#define STRESS_FLIGHTS_H

#include "stress/stress.h"

/* Where threads put events for others to wait for. */
typedef struct event_board event_board;

/* `*made` becomes NULL on a device of another backend. */
relayout_status event_board_create(relayout_device *device, event_board **made,
                                   relayout_error *error);
void event_board_destroy(event_board *used); /* NULL is allowed */

/* A thread's. */
typedef struct flights flights;

flights *flights_begin(stress *on, relayout_device *device, event_board *board, uint64_t *random);
/* Waits for all that is under way, and checks it. */
void flights_end(flights *used);

/* Enqueues a case by this plan, or in one call where that is NULL, and checks it when there is need
 * of its place. */
void flights_start(flights *in, const relayout_plan *plan, const stress_case *of);

#endif

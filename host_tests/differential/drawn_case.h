/* drawn_case.h: what one number stands for: a relayout, and what is tried with it.
 *
 * Depends on the suite's random.h and trial.h.
 */
#ifndef DRAWN_CASE_H
#define DRAWN_CASE_H

#include "conformance/trial.h"
#include "relayout/relayout.h"

/* What is tried beside the relayout itself. */
typedef enum drawn_check {
  CHECK_THIRD = 1,     /* the way through a third layout ends where the straight one does */
  CHECK_BACK = 2,      /* there and back is the identity */
  CHECK_TEXTS = 4,     /* shapes and schedules are what their texts are parsed to */
  CHECK_OFFERED = 8,   /* a schedule that the library would not choose does the same */
  CHECK_BOXES = 16,    /* so do two boxes */
  CHECK_EXPLAIN = 32,  /* the plan can be explained, and counts its bytes */
  CHECK_MEASURE = 64,  /* a measured plan does the same */
  CHECK_FENCES = 128,  /* the source is read-only, and both sides begin or end at missing pages */
  CHECK_BUFFERS = 256, /* an OpenCL device moves buffers, not host memory */
  CHECK_RESHARD = 512  /* so do the shards of a sharding that become those of another */
} drawn_check;
enum { DRAWN_CHECKS = 10 };

/* The CPU device: with a thread or more of the library's, or with a caller's. */
typedef enum drawn_threads { THREADS_ONE, THREADS_TWO, THREADS_THREE, THREADS_LENT } drawn_threads;
enum { DRAWN_THREADS = 4 };

typedef struct drawn_side {
  relayout_shape shape;
  bool is_strided;
  int64_t byte_strides[RELAYOUT_MAX_RANK];
  bool is_swapped; /* has the other byte order than the host */
  size_t offset;   /* in bytes, or in elements of a buffer */
} drawn_side;

typedef struct drawn_case {
  drawn_side from;
  drawn_side to;
  relayout_shape third; /* of the destination's type */
  bool wraps;
  double scale;
  bool to_nearest;
  unsigned checks;  /* drawn_check */
  uint32_t offered; /* the schedule's number, which begins again where there are fewer */
  drawn_threads threads;
  int32_t box_dimension; /* in which two boxes lie beside each other, */
  int64_t box_at;        /* the second from this index on */
  uint64_t shardings;    /* what both are drawn from */
} drawn_case;

void drawn_case_of(uint64_t number, drawn_case *drawn);

/* What of it the suite's trials know; valid as long as the case. */
request drawn_case_request(const drawn_case *of);

/* The views of both sides. */
relayout_view drawn_side_view(const drawn_side *side);

bool drawn_case_converts(const drawn_case *of);

/* Why the case is not tried as it is: drops the checks that say nothing of such a relayout. */
void drawn_case_keep_apt_checks(drawn_case *of);

/* Writes down all of it but shapes and options. */
void drawn_case_describe(const drawn_case *of, char *text, size_t size);

#endif

/* large_files.c: boxes of a relayout's index space, moved between files. What a box takes is in
 * memory where all of the tensor would be, and let go of before the next. */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS, MAP_NORESERVE */
#include "large_files.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "progress.h"

/* What a box may take on either side, which is a half to all of this: its rows are long on both
 * sides then, and what is less altogether fits into memory as well. */
#ifndef LARGE_FILES_MOST_BOX_BYTES /* tests have small files */
#define LARGE_FILES_MOST_BOX_BYTES    (128 << 20)
#define LARGE_FILES_LEAST_TOTAL_BYTES (384 << 20)
#endif

/* ---- Which boxes ---- */

typedef struct boxes {
  int32_t rank;
  const int64_t *dimensions;
  int64_t sizes[RELAYOUT_MAX_RANK]; /* of all boxes but the last ones */
  int64_t start[RELAYOUT_MAX_RANK]; /* of the next one */
} boxes;

/* How far a step along this dimension goes in memory, about, in elements: tiles have steps of
 * several sizes. */
static int64_t step_of(const relayout_shape *shape, int32_t dimension) {
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  int64_t end = 0;
  index[dimension] = shape->dimensions[dimension] - 1;
  if (relayout_index_to_linear(shape, index, &end, NULL) != RELAYOUT_OK) {
    return 0;
  }
  return end / (shape->dimensions[dimension] - 1);
}

/* Half of a size, rounded up to what tiles and pages like. */
static int64_t half_of(int64_t size) {
  int64_t unit = 1;
  while (unit < 1024 && 4 * unit <= size) {
    unit *= 2;
  }
  const int64_t half = (size / 2 + unit - 1) / unit * unit;
  return half < size ? half : (size + 1) / 2;
}

/* The dimension to be halved: the one that steps farthest on both sides, so that runs stay long;
 * of equal ones the longest. -1 where none is left. */
static int32_t widest(const boxes *of, const int64_t *steps) {
  int32_t best = -1;
  for (int32_t d = 0; d < of->rank; d++) {
    if (of->sizes[d] > 1 && (best < 0 || steps[d] > steps[best] ||
                             (steps[d] == steps[best] && of->sizes[d] > of->sizes[best]))) {
      best = d;
    }
  }
  return best;
}

static boxes boxes_of(const large_files_job *job) {
  boxes made = {.rank = job->from.shape.rank, .dimensions = job->from.shape.dimensions};
  int64_t steps[RELAYOUT_MAX_RANK];
  double largest = (double)relayout_plan_source_size(job->whole);
  const double written = (double)relayout_plan_destination_size(job->whole);
  largest = largest > written ? largest : written;
  for (int32_t d = 0; d < made.rank; d++) {
    made.sizes[d] = made.dimensions[d];
    if (made.sizes[d] > 1) {
      const int64_t source = step_of(&job->from.shape, d);
      const int64_t destination = step_of(&job->to.shape, d);
      steps[d] = source < destination ? source : destination;
    }
  }
  while (largest > LARGE_FILES_MOST_BOX_BYTES) {
    const int32_t d = widest(&made, steps);
    if (d < 0) {
      break;
    }
    const int64_t half = half_of(made.sizes[d]);
    largest *= (double)half / (double)made.sizes[d];
    made.sizes[d] = half;
  }
  return made;
}

/* The box that begins where the next one does; false when there is none left. */
static bool next_box(boxes *of, int64_t *start, int64_t *sizes) {
  for (int32_t d = 0; d < of->rank; d++) {
    const int64_t left = of->dimensions[d] - of->start[d];
    start[d] = of->start[d];
    sizes[d] = left < of->sizes[d] ? left : of->sizes[d];
  }
  int32_t d = 0;
  while (d < of->rank && (of->start[d] += of->sizes[d]) >= of->dimensions[d]) {
    of->start[d++] = 0;
  }
  return d < of->rank;
}

static uint64_t elements_of(const int64_t *sizes, int32_t rank) {
  uint64_t count = 1;
  for (int32_t d = 0; d < rank; d++) {
    count *= (uint64_t)sizes[d];
  }
  return count;
}

/* ---- Files ---- */

/* One side in memory as in its file, though only what a box takes is ever there. */
typedef struct side {
  const char *name;
  int file;
  int64_t start; /* of the tensor in the file */
  uint8_t *bytes;
  size_t size;
  /* What is to be read or written next, and how far apart the two may be that go as one. */
  int64_t first;
  int64_t end;
  int64_t most_gap;
  bool is_read;
  int cause; /* of a failure; 0: none */
  bool has_ended;
} side;

static bool make_side(side *made) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  made->bytes = mmap(NULL, made->size, PROT_READ | PROT_WRITE, flags, -1, 0);
  return made->bytes != MAP_FAILED;
}

static void transfer(side *of) {
  while (of->first < of->end && of->cause == 0 && !of->has_ended) {
    uint8_t *const at = of->bytes + of->first;
    const size_t size = (size_t)(of->end - of->first);
    const off_t where = (off_t)(of->start + of->first);
    const ssize_t done =
        of->is_read ? pread(of->file, at, size, where) : pwrite(of->file, at, size, where);
    of->first += done > 0 ? done : 0;
    of->cause = done < 0 && errno != EINTR ? errno : 0;
    of->has_ended = done == 0;
  }
}

static void add_bytes(void *context, int64_t first, size_t size) {
  side *const of = context;
  const bool joins = of->first < of->end && first >= of->first && first <= of->end + of->most_gap;
  if (!joins) {
    transfer(of);
    of->first = first;
  }
  const int64_t end = first + (int64_t)size;
  of->end = joins && of->end > end ? of->end : end;
}

static exit_code finish_transfer(side *of) {
  transfer(of);
  of->first = of->end = 0;
  const char *const verb = of->is_read ? "read" : "write";
  return of->cause != 0
             ? report(EXIT_CODE_FAILURE, "cannot %s %s: %s", verb, of->name, strerror(of->cause))
         : of->has_ended
             ? report(EXIT_CODE_FAILURE, "cannot %s %s: it has become shorter", verb, of->name)
             : EXIT_CODE_OK;
}

/* ---- Moving ---- */

static exit_code carry_out(const relayout_plan *plan, side *source, side *destination) {
  relayout_error error;
  relayout_status status = relayout_plan_visit_bytes_read(plan, add_bytes, source, &error);
  exit_code code = finish_transfer(source);
  if (status == RELAYOUT_OK && code == EXIT_CODE_OK) {
    status = relayout_plan_execute(plan, source->bytes, destination->bytes, &error);
  }
  if (status == RELAYOUT_OK && code == EXIT_CODE_OK) {
    status = relayout_plan_visit_bytes_written(plan, add_bytes, destination, &error);
    code = finish_transfer(destination);
  }
  madvise(source->bytes, source->size, MADV_DONTNEED);
  madvise(destination->bytes, destination->size, MADV_DONTNEED);
  return status == RELAYOUT_OK ? code : report_error(NULL, &error);
}

/* `*can` becomes false where there is no plan for a box by itself. */
static exit_code move_box(const large_files_job *job, side *source, side *destination,
                          const int64_t *start, const int64_t *sizes, bool *can) {
  relayout_plan *plan = NULL;
  relayout_error error;
  const relayout_status status = relayout_plan_create_range(
      job->device, &job->from, &job->to, start, sizes, job->options, &plan, &error);
  *can = status != RELAYOUT_UNSUPPORTED;
  if (status != RELAYOUT_OK) {
    return *can ? report_error(NULL, &error) : EXIT_CODE_OK;
  }
  const exit_code code = carry_out(plan, source, destination);
  relayout_plan_destroy(plan);
  return code;
}

static exit_code move_all(const large_files_job *job, side *source, side *destination,
                          bool *is_done) {
  boxes of = boxes_of(job);
  progress bar = progress_begin("moving", elements_of(of.dimensions, of.rank), 1);
  uint64_t moved = 0;
  exit_code code = EXIT_CODE_OK;
  bool has_next = true;
  *is_done = true;
  while (has_next && *is_done && code == EXIT_CODE_OK) {
    int64_t start[RELAYOUT_MAX_RANK];
    int64_t sizes[RELAYOUT_MAX_RANK];
    has_next = next_box(&of, start, sizes);
    code = move_box(job, source, destination, start, sizes, is_done);
    moved += elements_of(sizes, of.rank);
    progress_update(&bar, moved);
  }
  progress_end(&bar);
  return code;
}

bool large_files_suit(const large_files_job *job) {
  const size_t source = relayout_plan_source_size(job->whole);
  const size_t destination = relayout_plan_destination_size(job->whole);
  return source + destination >= LARGE_FILES_LEAST_TOTAL_BYTES && source > 0;
}

exit_code large_files_move(const large_files_job *job, bool *is_done) {
  side source = {.name = job->source_name,
                 .file = job->source_file,
                 .start = job->source_start,
                 .size = relayout_plan_source_size(job->whole),
                 .most_gap = 4096,
                 .is_read = true};
  side destination = {.name = job->destination_name,
                      .file = job->destination_file,
                      .start = job->destination_start,
                      .size = relayout_plan_destination_size(job->whole)};
  *is_done = false;
  if (!make_side(&source)) {
    return EXIT_CODE_OK;
  }
  exit_code code = EXIT_CODE_OK;
  if (make_side(&destination)) {
    /* What no box writes, at the end too, is zero. */
    const off_t end = (off_t)(destination.start + (int64_t)destination.size);
    code = ftruncate(destination.file, end) == 0 ? move_all(job, &source, &destination, is_done)
                                                 : report(EXIT_CODE_FAILURE, "cannot write %s: %s",
                                                          destination.name, strerror(errno));
    munmap(destination.bytes, destination.size);
  }
  munmap(source.bytes, source.size);
  return code;
}

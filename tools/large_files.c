/* large_files.c: boxes of a relayout's index space, moved between files. What a box takes of a side
 * is in memory together, where the last one's was; or, where it lies here and there in the file, in
 * the places that it would have if all of the tensor were, and is let go of before the next. */
#define _GNU_SOURCE /* madvise, MAP_ANONYMOUS, MAP_NORESERVE, sync_file_range */
#include "large_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is read or written at once: of more than that kernels make larger pages than they have at
 * hand, which has taken thrice the time. What is so long that it has large pages to itself. */
enum { PIECE_BYTES = 1 << 17, LONG_BYTES = 4 << 20, LARGE_PAGE_BYTES = 2 << 20, PAGE_BYTES = 4096 };

/* What lies between two runs is read with them where it takes less time than another call. What is
 * to be written between them has to be read first. */
enum { MOST_READ_GAP = 4096, MOST_WRITTEN_GAP = 512 };

/* Nor is what the disk is told to begin with told in smaller pieces than it reads. */
enum { MOST_AHEAD_GAP = 1 << 16 };

/* ---- Which boxes ---- */

typedef struct boxes {
  int32_t rank;
  const int64_t *dimensions;
  int64_t sizes[RELAYOUT_MAX_RANK]; /* of all boxes but the last ones */
  int64_t start[RELAYOUT_MAX_RANK]; /* of the next one */
  bool has_next;
  int64_t most_bytes; /* that a box may have in memory of either side */
} boxes;

/* How far a step along this dimension goes in memory, about, in bytes: tiles have steps of several
 * sizes. */
static double step_of(const relayout_shape *shape, int32_t dimension) {
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  int64_t end = 0;
  int64_t elements = 0;
  size_t bytes = 0;
  const int64_t last = shape->dimensions[dimension] - 1;
  index[dimension] = last;
  if (last < 1 || relayout_index_to_linear(shape, index, &end, NULL) != RELAYOUT_OK ||
      relayout_shape_physical_element_count(shape, &elements, NULL) != RELAYOUT_OK ||
      relayout_shape_byte_size(shape, &bytes, NULL) != RELAYOUT_OK || elements == 0) {
    return 0;
  }
  return (double)end / (double)last * ((double)bytes / (double)elements);
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

/* A side's steps, and its dimensions by these, the shortest first. */
typedef struct side_steps {
  double of[RELAYOUT_MAX_RANK];
  int32_t order[RELAYOUT_MAX_RANK];
} side_steps;

static side_steps steps_of(const relayout_shape *shape) {
  side_steps made = {.of = {0}};
  for (int32_t d = 0; d < shape->rank; d++) {
    made.of[d] = step_of(shape, d);
    int32_t at = d;
    for (; at > 0 && made.of[made.order[at - 1]] > made.of[d]; at--) {
      made.order[at] = made.order[at - 1];
    }
    made.order[at] = d;
  }
  return made;
}

/* What a box of these sizes has in memory of a side, in bytes: what lies between its elements too,
 * where that is less than a page. */
static double memory_of(const side_steps *steps, const int64_t *sizes, int32_t rank) {
  double run = 1;
  double runs = 1;
  for (int32_t i = 0; i < rank; i++) {
    const int32_t d = steps->order[i];
    if (steps->of[d] <= run + LARGE_FILES_PAGE_BYTES) {
      run += steps->of[d] * (double)(sizes[d] - 1);
    } else {
      runs *= (double)sizes[d];
    }
  }
  return runs * (run < LARGE_FILES_PAGE_BYTES ? LARGE_FILES_PAGE_BYTES : run);
}

/* That of both sides, as far as it is more than either may have. */
static double excess_of(const side_steps *sides, const int64_t *sizes, const boxes *of) {
  double excess = 0;
  for (int i = 0; i < 2; i++) {
    const double more = memory_of(&sides[i], sizes, of->rank) - (double)of->most_bytes;
    excess += more > 0 ? more : 0;
  }
  return excess;
}

/* The shorter of a dimension's steps. */
static double least_step(const side_steps *sides, int32_t d) {
  return sides[0].of[d] < sides[1].of[d] ? sides[0].of[d] : sides[1].of[d];
}

/* The dimension to be halved: of those that make nearly the most of the difference the one that
 * steps farthest on both sides, so that runs stay long; of equal ones the longest. -1 where no
 * dimension is left that makes any. */
static int32_t find_cut(const boxes *of, const side_steps *sides, double excess) {
  double after[RELAYOUT_MAX_RANK];
  double least = excess;
  for (int32_t d = 0; d < of->rank; d++) {
    int64_t sizes[RELAYOUT_MAX_RANK];
    memcpy(sizes, of->sizes, sizeof sizes);
    sizes[d] = sizes[d] > 1 ? half_of(sizes[d]) : sizes[d];
    after[d] = excess_of(sides, sizes, of);
    least = after[d] < least ? after[d] : least;
  }
  int32_t best = -1;
  for (int32_t d = 0; d < of->rank; d++) {
    const double step = least_step(sides, d);
    if (of->sizes[d] > 1 && after[d] < excess && after[d] <= least + (excess - least) / 4 &&
        (best < 0 || step > least_step(sides, best) ||
         (step == least_step(sides, best) && of->sizes[d] > of->sizes[best]))) {
      best = d;
    }
  }
  return best;
}

static boxes boxes_of(const large_files_job *job) {
  boxes made = {.rank = job->from.shape.rank,
                .dimensions = job->sizes,
                .has_next = true,
                .most_bytes = job->box_bytes};
  memcpy(made.sizes, made.dimensions, sizeof made.sizes);
  const side_steps sides[2] = {steps_of(&job->from.shape), steps_of(&job->to.shape)};
  double excess = excess_of(sides, made.sizes, &made);
  int32_t d = excess > 0 ? find_cut(&made, sides, excess) : -1;
  while (d >= 0) {
    made.sizes[d] = half_of(made.sizes[d]);
    excess = excess_of(sides, made.sizes, &made);
    d = excess > 0 ? find_cut(&made, sides, excess) : -1;
  }
  return made;
}

/* The next box. */
static void take_box(boxes *of, int64_t *start, int64_t *sizes) {
  for (int32_t d = 0; d < of->rank; d++) {
    const int64_t left = of->dimensions[d] - of->start[d];
    start[d] = of->start[d];
    sizes[d] = left < of->sizes[d] ? left : of->sizes[d];
  }
  int32_t d = 0;
  while (d < of->rank && (of->start[d] += of->sizes[d]) >= of->dimensions[d]) {
    of->start[d++] = 0;
  }
  of->has_next = d < of->rank;
}

static uint64_t elements_of(const int64_t *sizes, int32_t rank) {
  uint64_t count = 1;
  for (int32_t d = 0; d < rank; d++) {
    count *= (uint64_t)sizes[d];
  }
  return count;
}

/* ---- Files ---- */

/* One side in its file and in memory, of which no more is ever there than a box takes. */
typedef struct side {
  const char *name;
  int file;
  int64_t start; /* of the tensor in the file */
  uint8_t *bytes;
  size_t size;
  int64_t shift;    /* the byte of the side that is in memory first, if it is there */
  int64_t lowest;   /* that the box takes, */
  int64_t highest;  /* and behind the last */
  bool is_together; /* little lies between these that it does not take */
  int64_t box_bytes;
  /* What an action is next to be done to, and how far apart two runs may be that go as one. */
  int64_t first;
  int64_t end;
  int64_t most_gap;
  bool has_gap; /* something lies between what goes as one */
  void (*act)(struct side *side);
  bool is_read;
  int cause; /* of a failure; 0: none */
  bool has_ended;
} side;

static void release(large_files_memory *memory) {
  if (memory->bytes != NULL) {
    munmap(memory->bytes, memory->size);
  }
  *memory = (large_files_memory){.size = 0};
}

/* Short runs lie far apart: large pages for these would be there for all that lies between. */
static bool make_side(large_files_memory *memory, side *made) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (memory->size < made->size) {
    release(memory);
    void *const bytes = mmap(NULL, made->size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (bytes == MAP_FAILED) {
      return false;
    }
    *memory = (large_files_memory){bytes, made->size};
    madvise(bytes, made->size, MADV_NOHUGEPAGE);
  }
  made->bytes = memory->bytes;
  return true;
}

/* ---- Actions ---- */

static void find_extent(side *of) {
  of->lowest = of->first < of->lowest ? of->first : of->lowest;
  of->highest = of->end > of->highest ? of->end : of->highest;
}

static void read_ahead(side *of) {
  posix_fadvise(of->file, (off_t)(of->start + of->first), (off_t)(of->end - of->first),
                POSIX_FADV_WILLNEED);
}

/* Memory comes in large pages, which take a tenth of the time, where a run has all of them. */
static void make_room(side *of) {
  const uintptr_t page = LARGE_PAGE_BYTES;
  uint8_t *const at = of->bytes + (of->first - of->shift);
  const uintptr_t begin = ((uintptr_t)at + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t)at + (uintptr_t)(of->end - of->first)) / page * page;
  if (of->end - of->first >= LONG_BYTES) {
    madvise(at + (begin - (uintptr_t)at), end - begin, MADV_HUGEPAGE);
  }
}

static void transfer(side *of, bool reads) {
  while (of->first < of->end && of->cause == 0 && !of->has_ended) {
    uint8_t *const at = of->bytes + (of->first - of->shift);
    const int64_t left = of->end - of->first;
    const size_t size = (size_t)(left < PIECE_BYTES ? left : PIECE_BYTES);
    const off_t where = (off_t)(of->start + of->first);
    const ssize_t done =
        reads ? pread(of->file, at, size, where) : pwrite(of->file, at, size, where);
    of->first += done > 0 ? done : 0;
    of->cause = done < 0 && errno != EINTR ? errno : 0;
    of->has_ended = done == 0;
  }
}

static void read_run(side *of) {
  make_room(of);
  transfer(of, true);
}

/* What lies between runs that are written as one is other boxes', or stays as it was. */
static void read_gaps(side *of) {
  make_room(of);
  if (of->has_gap) {
    transfer(of, true);
  }
}

/* The disk begins with a long run at once. Short ones wait for what comes between them. */
static void write_run(side *of) {
  const int64_t first = of->first;
  transfer(of, false);
  if (of->end - first >= LONG_BYTES) {
    sync_file_range(of->file, (off_t)(of->start + first), (off_t)(of->end - first),
                    SYNC_FILE_RANGE_WRITE);
  }
}

static void add_bytes(void *context, int64_t first, size_t size) {
  side *const of = context;
  const bool joins = of->first < of->end && first >= of->first && first <= of->end + of->most_gap;
  if (!joins) {
    if (of->first < of->end) {
      of->act(of);
    }
    of->first = first;
    of->has_gap = false;
  }
  of->has_gap = of->has_gap || (joins && first > of->end);
  const int64_t end = first + (int64_t)size;
  of->end = joins && of->end > end ? of->end : end;
}

/* Does that to all bytes that a plan reads or writes of a side. */
static exit_code act_on(const relayout_plan *plan, side *of, void (*act)(side *)) {
  relayout_error error;
  of->act = act;
  of->first = of->end = 0;
  const relayout_status status =
      of->is_read ? relayout_plan_visit_bytes_read(plan, add_bytes, of, &error)
                  : relayout_plan_visit_bytes_written(plan, add_bytes, of, &error);
  if (status != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  if (of->first < of->end) {
    act(of);
  }
  const char *const verb = of->is_read ? "read" : "write";
  return of->cause != 0
             ? report(EXIT_CODE_FAILURE, "cannot %s %s: %s", verb, of->name, strerror(of->cause))
         : of->has_ended
             ? report(EXIT_CODE_FAILURE, "cannot %s %s: the file has become shorter meanwhile",
                      verb, of->name)
             : EXIT_CODE_OK;
}

/* ---- Moving ---- */

/* Finds where in memory a box's bytes of a side are to be. A pointer to the side's start, which may
 * be elsewhere, is as aligned as it would be in the file. */
static exit_code place_box(const relayout_plan *plan, side *of) {
  of->lowest = (int64_t)of->size;
  of->highest = 0;
  const exit_code code = act_on(plan, of, find_extent);
  const int64_t shift = of->lowest / PAGE_BYTES * PAGE_BYTES;
  of->is_together = of->highest - shift <= 2 * of->box_bytes;
  of->shift = of->is_together ? shift : 0;
  return code;
}

static void *pointer_of(const side *of) {
  return (void *)((uintptr_t)of->bytes - (uintptr_t)of->shift);
}

static void let_go(const side *of) {
  if (!of->is_together) {
    madvise(of->bytes, of->size, MADV_DONTNEED);
  }
}

static exit_code carry_out(const relayout_plan *plan, side *source, side *destination) {
  relayout_error error;
  exit_code code = place_box(plan, source);
  if (code == EXIT_CODE_OK) {
    code = place_box(plan, destination);
  }
  if (code == EXIT_CODE_OK) {
    code = act_on(plan, source, read_run);
  }
  if (code == EXIT_CODE_OK) {
    code = act_on(plan, destination, read_gaps);
  }
  if (code == EXIT_CODE_OK) {
    code = relayout_plan_execute(plan, pointer_of(source), pointer_of(destination), &error) ==
                   RELAYOUT_OK
               ? act_on(plan, destination, write_run)
               : report_error(NULL, &error);
  }
  let_go(source);
  let_go(destination);
  return code;
}

typedef struct box {
  relayout_plan *plan; /* NULL: there is none */
  uint64_t elements;
} box;

/* The next box, if there is one, whose bytes the disk begins to read. `*can` becomes false where
 * there is no plan for a box by itself. */
static exit_code prepare_box(const large_files_job *job, boxes *of, side *source, box *next,
                             bool *can, relayout_error *refusal) {
  int64_t from_start[RELAYOUT_MAX_RANK];
  int64_t to_start[RELAYOUT_MAX_RANK];
  int64_t sizes[RELAYOUT_MAX_RANK];
  *next = (box){NULL, 0};
  if (!of->has_next) {
    return EXIT_CODE_OK;
  }
  take_box(of, from_start, sizes);
  for (int32_t d = 0; d < of->rank; d++) {
    to_start[d] = job->to_start[d] + from_start[d];
    from_start[d] += job->from_start[d];
  }
  next->elements = elements_of(sizes, of->rank);
  const relayout_status status =
      relayout_plan_create_box(job->device, &job->from, from_start, &job->to, to_start, sizes,
                               job->options, &next->plan, refusal);
  *can = status != RELAYOUT_UNSUPPORTED;
  if (status != RELAYOUT_OK) {
    return *can ? report_error(NULL, refusal) : EXIT_CODE_OK;
  }
  source->most_gap = MOST_AHEAD_GAP;
  const exit_code code = act_on(next->plan, source, read_ahead);
  source->most_gap = MOST_READ_GAP;
  return code;
}

static exit_code move_all(const large_files_job *job, side *source, side *destination,
                          bool *is_done, relayout_error *refusal) {
  boxes of = boxes_of(job);
  uint64_t moved = job->moved_before;
  box now;
  *is_done = true;
  exit_code code = prepare_box(job, &of, source, &now, is_done, refusal);
  while (code == EXIT_CODE_OK && now.plan != NULL) {
    box next;
    code = prepare_box(job, &of, source, &next, is_done, refusal);
    if (code == EXIT_CODE_OK && *is_done) {
      code = carry_out(now.plan, source, destination);
    }
    moved += now.elements;
    progress_update(job->bar, moved);
    relayout_plan_destroy(now.plan);
    now = next;
  }
  relayout_plan_destroy(now.plan);
  return code;
}

/* What no box writes, at the end too, is zero. */
static exit_code make_long(const side *of) {
  const off_t end = (off_t)(of->start + (int64_t)of->size);
  struct stat facts;
  return fstat(of->file, &facts) == 0 && (facts.st_size >= end || ftruncate(of->file, end) == 0)
             ? EXIT_CODE_OK
             : report(EXIT_CODE_FAILURE, "cannot write %s: %s", of->name, strerror(errno));
}

bool large_files_suit(const large_files_job *job) {
  return job->source_size + job->destination_size >= LARGE_FILES_LEAST_TOTAL_BYTES &&
         job->source_size > 0;
}

exit_code large_files_move(const large_files_job *job, bool *is_done, relayout_error *refusal) {
  side source = {.name = job->source_name,
                 .file = job->source_file,
                 .start = job->source_start,
                 .size = job->source_size,
                 .box_bytes = job->box_bytes,
                 .most_gap = MOST_READ_GAP,
                 .is_read = true};
  side destination = {.name = job->destination_name,
                      .file = job->destination_file,
                      .start = job->destination_start,
                      .size = job->destination_size,
                      .box_bytes = job->box_bytes,
                      .most_gap = MOST_WRITTEN_GAP};
  *is_done = false;
  *refusal = (relayout_error){.status = RELAYOUT_OUT_OF_MEMORY,
                              .message = "no room for the addresses of a tensor"};
  if (!make_side(&job->memory[0], &source) || !make_side(&job->memory[1], &destination)) {
    return EXIT_CODE_OK;
  }
  const exit_code code = make_long(&destination);
  return code == EXIT_CODE_OK ? move_all(job, &source, &destination, is_done, refusal) : code;
}

void large_files_free(large_files_memory memory[2]) {
  release(&memory[0]);
  release(&memory[1]);
}

/* test_transactions.c: what the staged kernels ask of a GPU's memory, counted from their own index
 * arithmetic on the benchmark's suites.
 *
 * A GPU moves memory in sectors of 32 bytes; what 32 work-items side by side ask for at once is one
 * transaction for each sector that they touch. Each byte that moves is read once and written once
 * at least, so there are bytes / 32 sectors or more on each side. Local memory serves one word of
 * each of 32 banks of 4 bytes at a time; words of one bank that 32 work-items ask for at once, 16
 * where they take 8 bytes each and 8 where they take 16, wait for each other.
 *
 * The plans are those for an OpenCL device that takes the staged kernels for a GPU's,
 * whatever device it is: their grids, tables and groups are what a GPU would get. Groups are
 * run on the host (traced/group.h). */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/embedded.h"
#include "bench/suite.h"
#include "opencl/bench.h"
#include "opencl/launch.h"
#include "opencl/traced/group.h"
#include "plan/plan.h"

enum { SUB_GROUP = 32, SECTOR = 32, BANKS = 32, BANK_BYTES = 4, GROUPS_A_CASE = 3 };

#define KERNELS(kernel)                                                                            \
  traced_kernel traced_##kernel##_1, traced_##kernel##_2, traced_##kernel##_4,                     \
      traced_##kernel##_8, traced_##kernel##_16
KERNELS(copy);
KERNELS(transpose);
KERNELS(permute);

/* Channels are compiled in; X(bytes, channels, joins): those of the suites. */
#define INTERLEAVES_OF(X, bytes)                                                                   \
  X(bytes, 2, 0)                                                                                   \
  X(bytes, 2, 1)                                                                                   \
  X(bytes, 3, 0) X(bytes, 3, 1) X(bytes, 4, 0) X(bytes, 4, 1) X(bytes, 8, 0) X(bytes, 8, 1)
#define INTERLEAVES(X)                                                                             \
  INTERLEAVES_OF(X, 1) INTERLEAVES_OF(X, 2) INTERLEAVES_OF(X, 4) INTERLEAVES_OF(X, 8)
#define DECLARED(bytes, channels, joins)                                                           \
  traced_kernel traced_interleave_##bytes##_##channels##_##joins;
INTERLEAVES(DECLARED)

static traced_kernel *interleave_of(const rlt_kernel_options *options) {
#define CHOSEN(bytes, count, joined)                                                               \
  if (options->word_bytes == (bytes) && options->channels == (count) &&                            \
      options->joins == (joined)) {                                                                \
    return traced_interleave_##bytes##_##count##_##joined;                                         \
  }
  INTERLEAVES(CHOSEN)
  fail_msg("no interleave of %d channels of %d bytes is traced", options->channels,
           options->word_bytes);
  return NULL;
}

static traced_kernel *kernel_of(const rlt_kernel_options *options) {
#define KERNELS_OF(kernel)                                                                         \
  {                                                                                                \
    traced_##kernel##_1, traced_##kernel##_2, traced_##kernel##_4, traced_##kernel##_8,            \
        traced_##kernel##_16                                                                       \
  }
  static traced_kernel *const kernels[][5] = {KERNELS_OF(copy), KERNELS_OF(transpose),
                                              KERNELS_OF(permute)};
  size_t size = 0;
  while (1 << size < options->word_bytes) {
    ++size;
  }
  switch (options->kernel) {
  case RLT_KERNEL_COPY:
    return kernels[0][size];
  case RLT_KERNEL_TRANSPOSE:
    return kernels[1][size];
  case RLT_KERNEL_PERMUTE:
    return kernels[2][size];
  case RLT_KERNEL_INTERLEAVE:
    return interleave_of(options);
  default:
    return NULL;
  }
}

/* ---- Counting ---- */

typedef struct counts {
  size_t bytes;         /* that move, on both sides */
  size_t sectors;       /* that this takes */
  size_t requests;      /* by sub-groups, of the sectors */
  size_t look_ups;      /* by work-items, in tables */
  size_t local_minimum; /* turns of the banks, without conflicts */
  size_t local_turns;   /* and with them */
} counts;

static int by_number(const void *a, const void *b) {
  const uintptr_t left = *(const uintptr_t *)a;
  const uintptr_t right = *(const uintptr_t *)b;
  return left < right ? -1 : left > right;
}

static size_t sort_distinct(uintptr_t *numbers, size_t count) {
  qsort(numbers, count, sizeof *numbers, by_number);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (kept == 0 || numbers[kept - 1] != numbers[i]) {
      numbers[kept++] = numbers[i];
    }
  }
  return kept;
}

/* Sectors that the accesses of one moment touch. */
static size_t sectors_of(const traced_access *accesses, size_t count) {
  uintptr_t sectors[2 * SUB_GROUP];
  size_t touched = 0;
  for (size_t i = 0; i < count; ++i) {
    sectors[touched++] = accesses[i].address / SECTOR;
    sectors[touched++] = (accesses[i].address + accesses[i].bytes - 1) / SECTOR;
  }
  return sort_distinct(sectors, touched);
}

/* How often the banks have to turn for work-items that ask at once. */
static size_t turns_of(const traced_access *accesses, size_t count) {
  uintptr_t words[SUB_GROUP * 2];
  size_t touched = 0;
  for (size_t i = 0; i < count; ++i) {
    for (uintptr_t at = accesses[i].address / BANK_BYTES;
         at <= (accesses[i].address + accesses[i].bytes - 1) / BANK_BYTES; ++at) {
      words[touched++] = at;
    }
  }
  touched = sort_distinct(words, touched);
  size_t of_bank[BANKS] = {0};
  size_t most = 0;
  for (size_t i = 0; i < touched; ++i) {
    const size_t asked = ++of_bank[words[i] % BANKS];
    most = asked > most ? asked : most;
  }
  return most;
}

static void count_local(const traced_access *accesses, size_t count, counts *total) {
  const size_t bytes = accesses[0].bytes;
  const size_t at_once = SUB_GROUP / (bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES);
  for (size_t i = 0; i < count;) {
    const size_t part = accesses[i].item % SUB_GROUP / at_once;
    size_t end = i;
    while (end < count && accesses[end].item % SUB_GROUP / at_once == part) {
      ++end;
    }
    total->local_minimum += 1;
    total->local_turns += turns_of(accesses + i, end - i);
    i = end;
  }
}

static bool are_at_once(const traced_access *a, const traced_access *b) {
  return a->item / SUB_GROUP == b->item / SUB_GROUP && a->instruction == b->instruction &&
         a->round == b->round && a->occurrence == b->occurrence && a->space == b->space;
}

/* Distinct bytes of the source and the destination. */
static size_t bytes_of(const traced_access *accesses, size_t count) {
  uintptr_t *const starts = malloc((count + 1) * sizeof *starts);
  assert_non_null(starts);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (accesses[i].space == TRACED_SOURCE || accesses[i].space == TRACED_DESTINATION) {
      starts[kept++] = accesses[i].address << 5 | accesses[i].bytes;
    }
  }
  kept = sort_distinct(starts, kept);
  size_t bytes = 0;
  uintptr_t end = 0;
  for (size_t i = 0; i < kept; ++i) {
    const uintptr_t start = starts[i] >> 5;
    const uintptr_t stop = start + (starts[i] & 31);
    bytes += stop <= end ? 0 : stop - (start < end ? end : start);
    end = stop > end ? stop : end;
  }
  free(starts);
  return bytes;
}

static void count_group(const traced_access *accesses, size_t count, counts *total) {
  total->bytes += bytes_of(accesses, count);
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && are_at_once(&accesses[i], &accesses[end])) {
      ++end;
    }
    switch ((traced_space)accesses[i].space) {
    case TRACED_SOURCE:
    case TRACED_DESTINATION:
      total->requests += 1;
      total->sectors += sectors_of(accesses + i, end - i);
      break;
    case TRACED_TABLES:
      total->look_ups += end - i;
      break;
    case TRACED_LOCAL:
      count_local(accesses + i, end - i, total);
      break;
    case TRACED_ELSEWHERE:
      break;
    }
    i = end;
  }
}

/* ---- One case ---- */

static void *read_back(const opencl_bench *bench, cl_mem buffer, size_t *size) {
  assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof *size, size, NULL), CL_SUCCESS);
  void *const bytes = malloc(*size);
  assert_non_null(bytes);
  opencl_read(bench, buffer, *size, bytes);
  return bytes;
}

/* Memory that takes none until it is written. */
static void *reserve(size_t size) {
  void *const made =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_ptr_not_equal(made, MAP_FAILED);
  return made;
}

/* The first group, the last, and some between. */
static size_t group_number(size_t i, size_t group_count) {
  const uint64_t mixed = (i * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
  return i == 0 ? 0 : i == 1 ? group_count - 1 : (size_t)(mixed % group_count);
}

/* At the start of buffers. */
static const rlt_launch *launch_of(const relayout_plan *plan) {
  return plan->work.parts[0].variants[0].executable;
}

static counts count_launch(const opencl_bench *bench, const relayout_plan *plan,
                           const rlt_launch *launch, traced_kernel *kernel) {
  assert_non_null(kernel);
  assert_false(launch->options.wide);
  assert_int_equal(launch->options.group_size, TRACED_GROUP_SIZE);

  traced_memory memory = {.source_size = plan->work.source_size,
                          .destination_size = plan->work.destination_size};
  size_t grid_size = 0;
  void *const grid = read_back(bench, launch->grid, &grid_size);
  void *const tables =
      launch->tables == NULL ? NULL : read_back(bench, launch->tables, &memory.tables_size);
  memory.local_size = launch->tables == NULL ? 0 : (size_t)launch->local_bytes;
  void *const local = reserve(64 << 10);
  memory.arguments = (traced_arguments){.destination = reserve(memory.destination_size),
                                        .grid = grid,
                                        .source = reserve(memory.source_size),
                                        .tables = tables,
                                        .local = local};
  counts total = {0};
  for (size_t i = 0; i < GROUPS_A_CASE && i < launch->group_count; ++i) {
    size_t count = 0;
    const traced_access *const accesses =
        traced_run(kernel, &memory, group_number(i, launch->group_count), &count);
    count_group(accesses, count, &total);
  }
  munmap((void *)memory.arguments.source, memory.source_size);
  munmap(memory.arguments.destination, memory.destination_size);
  munmap(local, 64 << 10);
  free(grid);
  free(tables);
  return total;
}

/* ---- Suites ---- */

typedef struct figures {
  double sectors;  /* the least there are over those counted */
  double turns;    /* likewise */
  double request;  /* bytes that move for each request of a sub-group */
  double look_ups; /* in tables, for each 4 bytes that are moved, as the compiler left them */
} figures;

static figures figures_of(const counts *total) {
  const double bytes = (double)total->bytes;
  const double turns = (double)total->local_turns;
  return (figures){.sectors = bytes / SECTOR / (double)total->sectors,
                   .turns = turns == 0 ? 1 : (double)total->local_minimum / turns,
                   .request = bytes / (double)total->requests,
                   .look_ups = (double)total->look_ups / (bytes / 2 / 4)};
}

/* What the figures keep to, in the mean and in each case.
 *
 * Sectors: a line's worth that begins anywhere touches 5 sectors instead of 4, which is 0.8 of the
 * best; where one of a row's units of bytes may begin within 4 of them, each is loaded from two,
 * and the words at a row's ends are further requests. Of channels that lie together each request of
 * neighbours takes a part, and the next ones, from the nearest cache, the rest. Turns: a transpose
 * never waits, but for a tile's ragged ends; in packed tiles neighbours may be any distance apart,
 * and the waits must be few enough to stay hidden behind global memory, which takes several times
 * as long for a line as local memory does. Requests: 32 work-items with a unit of 4 bytes each ask
 * for 128 bytes, less at a row's ends. Look-ups: one for each element of a row at most, and some
 * for runs and rows, also those that would come next if the tile had more; how many loads of one
 * word a compiler makes one is its own affair. */
typedef struct bounds {
  const char *suite;
  relayout_element_type generic;
  figures mean;
  figures each;
} bounds;

static const bounds suites[] = {
    {"ttc", RELAYOUT_U8, {0.94, 0.9, 300, 2.0}, {0.6, 0.5, 85, 6.5}},
    {"ttc", RELAYOUT_U16, {0.99, 0.95, 390, 0.5}, {0.95, 0.6, 250, 4}},
    {"ttc", RELAYOUT_F32, {0.99, 0.97, 400, 0.2}, {0.95, 0.6, 256, 2.2}},
    {"ttc", RELAYOUT_F64, {0.99, 0.99, 400, 0.1}, {0.95, 0.95, 256, 1}},
    {"ml", RELAYOUT_F32, {0.89, 0.82, 400, 2.0}, {0.62, 0.5, 85, 6.5}},
    {"pad", RELAYOUT_F32, {0.85, 0.9, 290, 1.5}, {0.36, 0.5, 85, 6.5}},
    {"perm6", RELAYOUT_F32, {0.95, 0.75, 340, 2.5}, {0.85, 0.3, 120, 4.5}},
};

static const figures transposes = {.sectors = 0.62, .turns = 0.9, .request = 85, .look_ups = 0};

static bool keeps_to(const figures *found, const figures *bound) {
  return found->sectors >= bound->sectors && found->turns >= bound->turns &&
         found->request >= bound->request && found->look_ups <= bound->look_ups;
}

static void check(const char *what, const char *kernel, const figures *found,
                  const figures *bound) {
  if (!keeps_to(found, bound)) {
    fail_msg("%s (%s): sectors %.3f, turns %.3f, %.0f bytes a request, %.2f look-ups; bounds %.3f, "
             "%.3f, %.0f, %.2f",
             what, kernel, found->sectors, found->turns, found->request, found->look_ups,
             bound->sectors, bound->turns, bound->request, bound->look_ups);
  }
}

static figures count_case(const opencl_bench *bench, const bench_case *of, const bounds *bound) {
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  if (relayout_plan_create(bench->device, &of->from, &of->to, NULL, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", of->name, error.message);
  }
  const rlt_launch *const launch = launch_of(plan);
  const counts total = count_launch(bench, plan, launch, kernel_of(&launch->options));
  const figures found = figures_of(&total);
  check(of->name, rlt_kernel_name(launch->options.kernel), &found, &bound->each);
  if (launch->options.kernel == RLT_KERNEL_TRANSPOSE) {
    check(of->name, "transpose", &found, &transposes);
  }
  relayout_plan_destroy(plan);
  return found;
}

static void count_suite(const opencl_bench *bench, const bounds *bound) {
  bench_suite suite;
  relayout_error error = {0};
  if (bench_suite_parse(bench_embedded_find(bench_suite_texts, bound->suite), bound->generic,
                        &suite, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  figures mean = {0};
  figures worst = {1, 1, 512, 0};
  const char *fewest = "";
  for (size_t c = 0; c < suite.count; ++c) {
    const figures found = count_case(bench, &suite.cases[c], bound);
    mean.sectors += found.sectors / (double)suite.count;
    mean.turns += found.turns / (double)suite.count;
    mean.request += found.request / (double)suite.count;
    mean.look_ups += found.look_ups / (double)suite.count;
    fewest = found.sectors < worst.sectors ? suite.cases[c].name : fewest;
    worst.sectors = found.sectors < worst.sectors ? found.sectors : worst.sectors;
    worst.turns = found.turns < worst.turns ? found.turns : worst.turns;
    worst.request = found.request < worst.request ? found.request : worst.request;
    worst.look_ups = found.look_ups > worst.look_ups ? found.look_ups : worst.look_ups;
  }
  printf("| %s, %s | %.3f | %.3f %s | %.3f | %.3f | %.0f | %.0f | %.2f | %.2f |\n", bound->suite,
         relayout_element_type_name(bound->generic), mean.sectors, worst.sectors, fewest,
         mean.turns, worst.turns, mean.request, worst.request, mean.look_ups, worst.look_ups);
  fflush(stdout);
  check(bound->suite, "mean", &mean, &bound->mean);
  bench_suite_free(&suite);
}

static void test_suites(void **state) {
  printf("| suite | sectors, mean | worst | bank turns, mean | worst | bytes a request, mean | "
         "worst | look-ups per 4 bytes, mean | worst |\n|---|---|---|---|---|---|---|---|---|\n");
  for (size_t s = 0; s < sizeof suites / sizeof suites[0]; ++s) {
    count_suite(*state, &suites[s]);
  }
}

/* ---- Elements that change ---- */

traced_kernel traced_copy_f32_to_bf16, traced_copy_bf16_to_f32, traced_copy_u4_unpacked,
    traced_copy_u4_packed, traced_copy_u4_to_bf16, traced_transpose_f32_to_bf16,
    traced_transpose_bf16_to_f32, traced_transpose_u4_packed, traced_permute_f32_to_bf16,
    traced_permute_bf16_to_f32, traced_permute_u4_packed;

typedef struct change {
  const char *from;
  const char *to;
  rlt_kernel name;
  traced_kernel *kernel;
  int32_t tile_rows; /* of transposes */
  int32_t tile_columns;
  figures bound;
} change;

/* Units of the two sides hold different numbers of elements; that each side's are taken side by
 * side all the same is what makes whole sectors of most requests. Units of 4 bytes make 128 of a
 * request; where the other side has fewer, that asks for less. Packed elements are eight to a
 * unit: a column's units are staged eight rows apart, some of which share a bank. */
static const change changes[] = {
    {"f32[4096,4096]",
     "bf16[4096,4096]",
     RLT_KERNEL_COPY,
     traced_copy_f32_to_bf16,
     0,
     0,
     {0.99, 0.95, 120, 0}},
    {"bf16[4096,4096]",
     "f32[4096,4096]",
     RLT_KERNEL_COPY,
     traced_copy_bf16_to_f32,
     0,
     0,
     {0.99, 0.95, 90, 0}},
    {"f32[4096,4001]{1,0:PD(4096,4003)}",
     "bf16[4096,4001]{1,0:PD(4096,4007)}",
     RLT_KERNEL_COPY,
     traced_copy_f32_to_bf16,
     0,
     0,
     {0.87, 0.7, 100, 0}},
    {"u4[4096,4096]{1,0:E(4)}",
     "u4[4096,4096]",
     RLT_KERNEL_COPY,
     traced_copy_u4_unpacked,
     0,
     0,
     {0.99, 0.95, 90, 0}},
    {"u4[4096,4096]",
     "u4[4096,4096]{1,0:E(4)}",
     RLT_KERNEL_COPY,
     traced_copy_u4_packed,
     0,
     0,
     {0.99, 0.95, 120, 0}},
    {"u4[4096,4096]{1,0:E(4)}",
     "bf16[4096,4096]",
     RLT_KERNEL_COPY,
     traced_copy_u4_to_bf16,
     0,
     0,
     {0.99, 0.95, 75, 0}},
    {"f32[4096,4096]",
     "bf16[4096,4096]{0,1}",
     RLT_KERNEL_TRANSPOSE,
     traced_transpose_f32_to_bf16,
     32,
     128,
     {0.99, 0.6, 120, 0}},
    {"f32[4001,4003]",
     "bf16[4001,4003]{0,1}",
     RLT_KERNEL_TRANSPOSE,
     traced_transpose_f32_to_bf16,
     32,
     128,
     {0.77, 0.9, 100, 0}},
    {"bf16[4096,4096]",
     "f32[4096,4096]{0,1}",
     RLT_KERNEL_TRANSPOSE,
     traced_transpose_bf16_to_f32,
     64,
     32,
     {0.87, 0.6, 120, 0}},
    {"u4[4096,4096]{1,0:E(4)}",
     "u4[4096,4096]{0,1:E(4)}",
     RLT_KERNEL_TRANSPOSE,
     traced_transpose_u4_packed,
     64,
     128,
     {0.75, 0.65, 120, 0}},
    {"u4[32,64,56,56]{3,2,1,0:E(4)}",
     "u4[32,64,56,56]{1,3,2,0:E(4)}",
     RLT_KERNEL_TRANSPOSE,
     traced_transpose_u4_packed,
     64,
     128,
     {0.74, 0.65, 80, 0}},
    {"u4[32,4,56,56]{3,2,1,0:E(4)}",
     "u4[32,4,56,56]{1,3,2,0:E(4)}",
     RLT_KERNEL_PERMUTE,
     traced_permute_u4_packed,
     0,
     0,
     {0.94, 0.8, 100, 12}},
    {"f32[4096,4096]",
     "bf16[4096,4096]{1,0:T(8,128)(2,1)}",
     RLT_KERNEL_PERMUTE,
     traced_permute_f32_to_bf16,
     0,
     0,
     {0.99, 0.95, 120, 4}},
    {"bf16[4096,4096]{1,0:T(8,128)(2,1)}",
     "f32[4096,4096]",
     RLT_KERNEL_PERMUTE,
     traced_permute_bf16_to_f32,
     0,
     0,
     {0.99, 0.6, 250, 3}},
};

static void test_changes(void **state) {
  const opencl_bench *const bench = *state;
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
    const change *const of = &changes[i];
    relayout_shape from;
    relayout_shape to;
    relayout_plan *plan = NULL;
    relayout_error error = {0};
    if (relayout_shape_parse(of->from, &from, &error) != RELAYOUT_OK ||
        relayout_shape_parse(of->to, &to, &error) != RELAYOUT_OK ||
        relayout_plan_create(bench->device, &from, &to, NULL, &plan, &error) != RELAYOUT_OK) {
      fail_msg("%s to %s: %s", of->from, of->to, error.message);
    }
    const rlt_launch *const launch = launch_of(plan);
    assert_int_equal(launch->options.kernel, of->name);
    assert_int_equal(launch->options.tile_rows, of->tile_rows);
    assert_int_equal(launch->options.tile_columns, of->tile_columns);
    const counts total = count_launch(bench, plan, launch, of->kernel);
    const figures found = figures_of(&total);
    printf("| %s to %s | %.3f | %.3f | %.0f | %.2f |\n", of->from, of->to, found.sectors,
           found.turns, found.request, found.look_ups);
    fflush(stdout);
    check(of->to, rlt_kernel_name(of->name), &found, &of->bound);
    relayout_plan_destroy(plan);
  }
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_suites, bench),
                                     cmocka_unit_test_prestate(test_changes, bench)};
  /* As many as a GPU may have: a driver for CPUs allows fewer, and nothing is run here. */
  bench->device->facts.most_groups = 1 << 22;
  return bench->family == RELAYOUT_KERNELS_STAGED
             ? cmocka_run_group_tests_name("transactions", tests, NULL, NULL)
             : 0;
}

int main(void) {
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}

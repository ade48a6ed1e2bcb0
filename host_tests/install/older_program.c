/* older_program.c: a program as it was compiled with relayout 0.1: the structs and functions that
 * it uses are declared as they were then, strides among the options. It must do what it did. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct relayout_shape {
  int64_t words[512]; /* it never looks into one */
} relayout_shape;

typedef struct relayout_error {
  int status;
  int32_t cl_status;
  char message[512];
} relayout_error;

typedef struct relayout_plan_options {
  size_t struct_size;
  int effort;
  int32_t measured;
  int overflow;
  double scale;
  const int64_t *source_byte_strides;
  const int64_t *destination_byte_strides;
  const char *const *schedules;
  int32_t schedule_count;
} relayout_plan_options;

typedef struct relayout_cpu_options {
  size_t struct_size;
  int32_t threads;
  void (*parallel_for)(void *context, size_t count, void (*task)(void *task_data, size_t i),
                       void *task_data);
  void *parallel_context;
} relayout_cpu_options;

typedef struct relayout_device_info {
  size_t struct_size;
  int backend;
  int device_class;
  char name[32];
  char description[128];
  char platform[128];
  char driver[64];
  uint32_t compute_units;
  uint64_t memory_bytes;
  uint64_t allocation_bytes;
  struct {
    uint64_t bytes;
    uint32_t ways;
    uint32_t processors;
  } caches[3];
  uint64_t page_bytes;
  uint32_t line_bytes;
  uint32_t tlb_pages[2];
  uint32_t vector_bytes;
  uint32_t streaming_stores;
  char instructions[20];
} relayout_device_info;

typedef struct relayout_device relayout_device;
typedef struct relayout_plan relayout_plan;

int relayout_cpu_device_create(const relayout_cpu_options *options, relayout_device **device,
                               relayout_error *error);
int relayout_device_get_info(const relayout_device *device, relayout_device_info *info,
                             relayout_error *error);
void relayout_device_destroy(relayout_device *device);
int relayout_shape_parse(const char *text, relayout_shape *shape, relayout_error *error);
int relayout_plan_create(relayout_device *device, const relayout_shape *from,
                         const relayout_shape *to, const relayout_plan_options *options,
                         relayout_plan **plan, relayout_error *error);
int relayout_plan_execute(const relayout_plan *plan, const void *source, void *destination,
                          relayout_error *error);
void relayout_plan_destroy(relayout_plan *plan);

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

int main(void) {
  relayout_error error = {0, 0, ""};
  relayout_device *device = NULL;
  relayout_shape from, to;
  relayout_plan *plan = NULL;
  const relayout_cpu_options one_thread = {sizeof one_thread, 1, NULL, NULL};
  const int64_t rows_backwards[] = {-4, 1};
  const relayout_plan_options options = {sizeof options, 0,    0,    0, 1.0,
                                         rows_backwards, NULL, NULL, 0};
  struct {
    relayout_device_info info;
    char behind[8];
  } asked;
  static const char letters[] = "abc.def";
  char moved[] = "......";
  memset(&asked, 'x', sizeof asked);
  asked.info.struct_size = sizeof asked.info;
  if (relayout_cpu_device_create(&one_thread, &device, &error) != 0 ||
      relayout_device_get_info(device, &asked.info, &error) != 0 ||
      relayout_shape_parse("u8[2,3]", &from, &error) != 0 ||
      relayout_shape_parse("u8[2,3]{0,1}", &to, &error) != 0 ||
      relayout_plan_create(device, &from, &to, &options, &plan, &error) != 0 ||
      relayout_plan_execute(plan, &letters[4], moved, &error) != 0) {
    return fail(error.message);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  if (strcmp(moved, "daebfc") != 0) {
    return fail(moved);
  }
  return strcmp(asked.info.name, "cpu") == 0 && asked.info.compute_units == 1 &&
                 memcmp(asked.behind, "xxxxxxxx", sizeof asked.behind) == 0
             ? 0
             : fail("the info is not what it was");
}

/* devices.c: `relayout devices` lists what relayouts can run on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "device_list.h"
#include "json_output.h"
#include "size_text.h"

enum {
  LINE_SIZE = 256,
  TUNING_SIZE = 4096 /* the numbers, which come last, may be cut */
};

static const char *backend_name(relayout_backend backend) {
  return backend == RELAYOUT_BACKEND_OPENCL ? "opencl" : "cpu";
}

static const char *class_name(relayout_device_class class) {
  switch (class) {
  case RELAYOUT_DEVICE_CLASS_CPU:
    return "cpu";
  case RELAYOUT_DEVICE_CLASS_GPU:
    return "gpu";
  case RELAYOUT_DEVICE_CLASS_ACCELERATOR:
    return "accelerator";
  case RELAYOUT_DEVICE_CLASS_OTHER:
    break;
  }
  return "other";
}

/* What `auto` opens here; its name is empty when that cannot be opened. */
static relayout_device_info info_of_auto(void) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device *device;
  if (relayout_device_open("auto", &device, NULL) == RELAYOUT_OK) {
    if (relayout_device_get_info(device, &info, NULL) != RELAYOUT_OK) {
      info.name[0] = '\0';
    }
    relayout_device_destroy(device);
  }
  return info;
}

/* Levels of caches that are not there are left out. */
static json_t *json_of_caches(const relayout_device_info *info) {
  json_t *caches = json_of_no_elements();
  for (size_t i = 0; i < sizeof info->caches / sizeof info->caches[0]; i++) {
    if (info->caches[i].bytes == 0) {
      break;
    }
    caches = json_with_element(caches, json_of_members((json_member[]){
                                           {"level", json_of_size(i + 1)},
                                           {"bytes", json_of_size(info->caches[i].bytes)},
                                           {"ways", json_of_size(info->caches[i].ways)},
                                           {"processors", json_of_size(info->caches[i].processors)},
                                           {NULL, NULL}}));
  }
  return caches;
}

/* What a device's machine is. */
static json_t *json_of_facts(const relayout_device_info *info) {
  json_t *pages = json_of_no_elements();
  for (size_t i = 0; i < sizeof info->tlb_pages / sizeof info->tlb_pages[0]; i++) {
    pages = json_with_element(pages, json_of_size(info->tlb_pages[i]));
  }
  return json_of_members(
      (json_member[]){{"line_bytes", json_of_size(info->line_bytes)},
                      {"page_bytes", json_of_size(info->page_bytes)},
                      {"caches", json_of_caches(info)},
                      {"tlb_pages", pages},
                      {"vector_bytes", json_of_size(info->vector_bytes)},
                      {"streaming_stores", json_of_boolean(info->streaming_stores != 0)},
                      {"instructions", json_of_text(info->instructions)},
                      {NULL, NULL}});
}

/* A line of the row's text. */
static void read_tuning_line(const char *text, const char *key, char value[LINE_SIZE]) {
  char start[16];
  value[0] = '\0';
  snprintf(start, sizeof start, "\n%s: ", key);
  const char *const line = strstr(text, start);
  if (line != NULL) {
    const char *const begin = line + strlen(start);
    snprintf(value, LINE_SIZE, "%.*s", (int)strcspn(begin, "\n"), begin);
  }
}

static json_t *json_of_tuning_line(const char *text, const char *key) {
  char value[LINE_SIZE];
  read_tuning_line(text, key, value);
  return json_of_text(value);
}

/* The row of tuning that the device's schedules go by; false where it cannot be opened. */
static bool read_tuning(const char *name, char text[TUNING_SIZE]) {
  relayout_device *device;
  if (relayout_device_open(name, &device, NULL) != RELAYOUT_OK) {
    return false;
  }
  relayout_device_get_tuning(device, text, TUNING_SIZE);
  relayout_device_destroy(device);
  return true;
}

/* What the device's schedules go by; null where it cannot be opened. */
static json_t *json_of_tuning(const char *name) {
  char text[TUNING_SIZE];
  return !read_tuning(name, text)
             ? json_of_nothing()
             : json_of_members((json_member[]){{"kind", json_of_tuning_line(text, "kind")},
                                               {"date", json_of_tuning_line(text, "date")},
                                               {"suites", json_of_tuning_line(text, "suites")},
                                               {NULL, NULL}});
}

static json_t *json_of_device(const relayout_device_info *info) {
  return json_of_members(
      (json_member[]){{"name", json_of_text(info->name)},
                      {"backend", json_of_text(backend_name(info->backend))},
                      {"class", json_of_text(class_name(info->device_class))},
                      {"description", json_of_text(info->description)},
                      {"platform", json_of_text(info->platform)},
                      {"driver", json_of_text(info->driver)},
                      {"compute_units", json_of_size(info->compute_units)},
                      {"memory_bytes", json_of_size(info->memory_bytes)},
                      {"allocation_bytes", json_of_size(info->allocation_bytes)},
                      {"shares_host_memory", json_of_boolean(info->shares_host_memory != 0)},
                      {"tuning", json_of_tuning(info->name)},
                      {"facts", json_of_facts(info)},
                      {NULL, NULL}});
}

static exit_code print_json(const relayout_device_info *infos, size_t count) {
  const relayout_device_info opened = info_of_auto();
  json_t *devices = json_of_no_elements();
  for (size_t i = 0; i < count; i++) {
    devices = json_with_element(devices, json_of_device(&infos[i]));
  }
  json_t *const opens = opened.name[0] != '\0' ? json_of_text(opened.name) : json_of_nothing();
  return json_print_line(
      json_of_members((json_member[]){{"devices", devices}, {"auto", opens}, {NULL, NULL}}),
      stdout);
}

/* That the machine has no row of its own, if so. */
static void print_tuning(const relayout_device_info *info) {
  static const char similar[] = ", the most similar machine"; /* relayout/tuning.h */
  char text[TUNING_SIZE];
  char kind[LINE_SIZE];
  if (!read_tuning(info->name, text)) {
    return;
  }
  read_tuning_line(text, "kind", kind);
  if (strstr(kind, similar) != NULL) {
    printf("%s has no tuning of its own, and takes that of %s; faster: relayout tune --device %s\n",
           info->name, kind, info->name);
  }
}

static void print_table(const relayout_device_info *infos, size_t count) {
  int width = (int)strlen("DEVICE");
  for (size_t i = 0; i < count; i++) {
    const int length = (int)strlen(infos[i].name);
    width = length > width ? length : width;
  }
  printf("%-*s  %-11s  %5s  %10s  %s\n", width, "DEVICE", "CLASS", "UNITS", "MEMORY", "WHAT");
  for (size_t i = 0; i < count; i++) {
    char memory[SIZE_TEXT_CAPACITY] = "unknown";
    if (infos[i].memory_bytes != 0) {
      size_text(infos[i].memory_bytes, memory);
    }
    printf("%-*s  %-11s  %5" PRIu32 "  %10s  %s", width, infos[i].name,
           class_name(infos[i].device_class), infos[i].compute_units, memory, infos[i].description);
    if (infos[i].platform[0] != '\0') {
      printf(" (%s)", infos[i].platform);
    }
    putchar('\n');
  }
  for (size_t i = 0; i < count; i++) {
    print_tuning(&infos[i]);
  }
  const relayout_device_info opened = info_of_auto();
  if (opened.name[0] != '\0') {
    printf("auto opens %s%s\n", opened.name,
           opened.shares_host_memory ? "" : ", and cpu for what lies in the host's memory");
  }
}

static exit_code run(int argument_count, char **arguments) {
  bool as_json = false;
  const arguments_option options[] = {{"json", .flag = &as_json}};
  exit_code code;
  if (!arguments_parse(&command_devices, argument_count, arguments, 1, options, 0, NULL, &code)) {
    return code;
  }
  relayout_device_info *infos;
  size_t count;
  code = device_list_read(&infos, &count);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (as_json) {
    code = print_json(infos, count);
  } else {
    print_table(infos, count);
  }
  free(infos);
  return EXIT_CODE_OK;
}

const command command_devices = {
    .name = "devices",
    .summary = "list what relayouts can run on",
    .help =
        "usage: relayout devices [--json]\n"
        "\n"
        "Lists the CPU backend and every OpenCL device, by the names that --device takes:\n"
        "\n"
        "  cpu          the CPU backend\n"
        "  opencl:P:D   device D of OpenCL platform P\n"
        "  opencl       the first OpenCL device: GPUs first, then accelerators, then others\n"
        "  auto         the first OpenCL GPU or accelerator, else cpu; the default. What lies in\n"
        "               the host's memory, files too, goes to cpu unless the device shares it\n"
        "\n"
        "Below the list it names the devices that have no row of tuning of their own.\n"
        "\n"
        "  --json       one object: devices[], each with its facts (caches, pages, vectors;\n"
        "               0: unknown), and auto, the name of what auto opens here\n"
        "\n"
        "example: relayout devices --json\n",
    .run = run,
};

/* devices.c: `relayout devices` lists what relayouts can run on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "device_list.h"
#include "json_writer.h"
#include "size_text.h"

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

/* What a device's machine is. Levels of caches that are not there are left out. */
static void print_facts(json_writer *json, const relayout_device_info *info) {
  json_writer_open_object(json, "facts");
  json_writer_unsigned(json, "line_bytes", info->line_bytes);
  json_writer_unsigned(json, "page_bytes", info->page_bytes);
  json_writer_open_array(json, "caches");
  for (size_t i = 0; i < sizeof info->caches / sizeof info->caches[0]; i++) {
    if (info->caches[i].bytes == 0) {
      break;
    }
    json_writer_open_object(json, NULL);
    json_writer_unsigned(json, "level", i + 1);
    json_writer_unsigned(json, "bytes", info->caches[i].bytes);
    json_writer_unsigned(json, "ways", info->caches[i].ways);
    json_writer_unsigned(json, "processors", info->caches[i].processors);
    json_writer_close_object(json);
  }
  json_writer_close_array(json);
  json_writer_open_array(json, "tlb_pages");
  for (size_t i = 0; i < sizeof info->tlb_pages / sizeof info->tlb_pages[0]; i++) {
    json_writer_unsigned(json, NULL, info->tlb_pages[i]);
  }
  json_writer_close_array(json);
  json_writer_unsigned(json, "vector_bytes", info->vector_bytes);
  json_writer_boolean(json, "streaming_stores", info->streaming_stores != 0);
  json_writer_text(json, "instructions", info->instructions);
  json_writer_close_object(json);
}

/* A line of the row's text. */
static void json_tuning_line(json_writer *json, const char *text, const char *key) {
  char start[16];
  char value[256] = "";
  snprintf(start, sizeof start, "\n%s: ", key);
  const char *const line = strstr(text, start);
  if (line != NULL) {
    const char *const begin = line + strlen(start);
    snprintf(value, sizeof value, "%.*s", (int)strcspn(begin, "\n"), begin);
  }
  json_writer_text(json, key, value);
}

/* What the device's schedules go by; null where it cannot be opened. */
static void json_tuning(json_writer *json, const char *name) {
  char text[4096]; /* the numbers, which come last, may be cut */
  relayout_device *device;
  if (relayout_device_open(name, &device, NULL) != RELAYOUT_OK) {
    json_writer_null(json, "tuning");
    return;
  }
  relayout_device_get_tuning(device, text, sizeof text);
  relayout_device_destroy(device);
  json_writer_open_object(json, "tuning");
  json_tuning_line(json, text, "kind");
  json_tuning_line(json, text, "date");
  json_tuning_line(json, text, "suites");
  json_writer_close_object(json);
}

static void print_json(const relayout_device_info *infos, size_t count) {
  const relayout_device_info opened = info_of_auto();
  json_writer json = json_writer_begin(stdout);
  json_writer_open_object(&json, NULL);
  json_writer_open_array(&json, "devices");
  for (size_t i = 0; i < count; i++) {
    json_writer_open_object(&json, NULL);
    json_writer_text(&json, "name", infos[i].name);
    json_writer_text(&json, "backend", backend_name(infos[i].backend));
    json_writer_text(&json, "class", class_name(infos[i].device_class));
    json_writer_text(&json, "description", infos[i].description);
    json_writer_text(&json, "platform", infos[i].platform);
    json_writer_text(&json, "driver", infos[i].driver);
    json_writer_unsigned(&json, "compute_units", infos[i].compute_units);
    json_writer_unsigned(&json, "memory_bytes", infos[i].memory_bytes);
    json_writer_unsigned(&json, "allocation_bytes", infos[i].allocation_bytes);
    json_tuning(&json, infos[i].name);
    print_facts(&json, &infos[i]);
    json_writer_close_object(&json);
  }
  json_writer_close_array(&json);
  if (opened.name[0] != '\0') {
    json_writer_text(&json, "auto", opened.name);
  } else {
    json_writer_null(&json, "auto");
  }
  json_writer_close_object(&json);
  json_writer_end(&json);
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
  const relayout_device_info opened = info_of_auto();
  if (opened.name[0] != '\0') {
    printf("auto opens %s\n", opened.name);
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
    print_json(infos, count);
  } else {
    print_table(infos, count);
  }
  free(infos);
  return EXIT_CODE_OK;
}

const command command_devices = {
    .name = "devices",
    .summary = "list what relayouts can run on",
    .help = "usage: relayout devices [--json]\n"
            "\n"
            "Lists the CPU backend and every OpenCL device, by the names that --device takes:\n"
            "\n"
            "  cpu          the CPU backend\n"
            "  opencl:P:D   device D of OpenCL platform P\n"
            "  opencl       the first OpenCL device: GPUs first, then accelerators, then others\n"
            "  auto         the first OpenCL GPU or accelerator, else cpu; the default\n"
            "\n"
            "  --json       one object: devices[], each with its facts (caches, pages, vectors;\n"
            "               0: unknown), and auto, the name of what auto opens here\n"
            "\n"
            "example: relayout devices --json\n",
    .run = run,
};

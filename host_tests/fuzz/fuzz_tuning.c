/* fuzz_tuning.c: any text either is refused as a row, with a message fit to print, or makes the
 * round and makes plans that move what they should. */
#include <string.h>

#include "device/target.h"
#include "fuzz_target.h"
#include "promise.h"
#include "relayout/relayout.h"
#include "search/tuning_text.h"

enum { ROWS = 70, COLUMNS = 300 };

static void check_round(const relayout_device *device, const rlt_tuning *row) {
  static char text[2][RLT_MOST_TUNING_TEXT];
  rlt_tuning again = *row;
  for (int i = 0; i < 2; ++i) {
    rlt_text made = rlt_text_in(text[i], sizeof text[i]);
    rlt_tuning_add_head(&device->info, &device->facts.machine, &made);
    rlt_tuning_add_text(&again, &made);
    require(rlt_tuning_read_text(text[i], made.length, NULL, &again, NULL) == RELAYOUT_OK,
            "what is printed can be read");
  }
  require(strcmp(text[0], text[1]) == 0, "and comes back as it was");
}

static void check_plan(relayout_device *device) {
  static uint16_t source[ROWS * COLUMNS];
  static uint16_t destination[ROWS * COLUMNS];
  relayout_shape from;
  relayout_shape to;
  relayout_plan *plan = NULL;
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    source[i] = (uint16_t)i;
  }
  require(relayout_shape_parse("u16[70,300]", &from, NULL) == RELAYOUT_OK &&
              relayout_shape_parse("u16[70,300]{0,1}", &to, NULL) == RELAYOUT_OK,
          "these are shapes");
  require(relayout_plan_create(device, &from, &to, NULL, &plan, NULL) == RELAYOUT_OK,
          "there is a plan");
  require(relayout_plan_execute(plan, source, destination, NULL) == RELAYOUT_OK, "plans run");
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    require(destination[i % COLUMNS * ROWS + i / COLUMNS] == (uint16_t)i, "and move all");
  }
  relayout_plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  relayout_device *device = NULL;
  relayout_error error;
  rlt_tuning row;
  require(setenv("RELAYOUT_CACHE", "off", 1) == 0, "nothing is kept");
  require(relayout_device_open("cpu", &device, NULL) == RELAYOUT_OK, "there is a CPU");
  const relayout_status status = rlt_tuning_read_text((const char *)data, size, NULL, &row, &error);
  if (status == RELAYOUT_OK) {
    device->tuning = &row;
    check_round(device, &row);
    check_plan(device);
  } else {
    check_error(status, &error);
    require(status == RELAYOUT_INVALID_TEXT, "with a reason");
  }
  relayout_device_destroy(device);
  return 0;
}

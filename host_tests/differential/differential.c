/* differential.c: case after case, and one that fails made smaller. */
#include "differential/differential.h"

#include <stdio.h>
#include <string.h>

#include "conformance/fault.h"
#include "conformance/random.h"
#include "differential/check.h"
#include "differential/shrink.h"

static relayout_status fail_out_of_memory(relayout_error *error) {
  if (error != NULL) {
    *error = (relayout_error){RELAYOUT_OUT_OF_MEMORY, 0, "no memory for a case"};
  }
  return RELAYOUT_OUT_OF_MEMORY;
}

/* What a fault is said to be of. */
static void expect_case(const differential_options *options, uint64_t number) {
  char command[DIFFERENTIAL_COMMAND_SIZE];
  char words[DIFFERENTIAL_COMMAND_SIZE + 3];
  differential_command(options, number, command);
  snprintf(words, sizeof(words), "%s # ", command);
  fault_expect_words(words);
}

/* RELAYOUT_OUT_OF_MEMORY, or the case was tried. */
static relayout_status try_number(const differential_options *options, checker *by, uint64_t number,
                                  differential_report *report, relayout_error *error) {
  drawn_case what;
  drawn_case_of(number, &what);
  expect_case(options, number);
  switch (checker_try(by, &what, report->failure)) {
  case CHECK_PASSED:
    break;
  case CHECK_REFUSED:
    report->refused += 1;
    break;
  case CHECK_FAILED:
    report->has_failed = true;
    report->failed_case = number;
    break;
  case CHECK_NO_MEMORY:
    return fail_out_of_memory(error);
  }
  report->cases += 1;
  return RELAYOUT_OK;
}

relayout_status differential_run(const differential_options *options, differential_report *report,
                                 relayout_error *error) {
  memset(report, 0, sizeof(*report));
  checker by;
  relayout_status status = checker_open(options, &by, error);
  const uint64_t first = random_mix(options->seed);
  fault_watch();
  while (status == RELAYOUT_OK && !report->has_failed && report->cases < options->most_cases &&
         (options->goes_on == NULL || options->goes_on(options->context, report->cases))) {
    status = try_number(options, &by, first + report->cases, report, error);
  }
  fault_unwatch();
  checker_close(&by);
  return status;
}

relayout_status differential_shrink(const differential_options *options, uint64_t number,
                                    differential_report *report, relayout_error *error) {
  memset(report, 0, sizeof(*report));
  report->failed_case = number;
  checker by;
  relayout_status status = checker_open(options, &by, error);
  drawn_case what;
  drawn_case_of(number, &what);
  if (status == RELAYOUT_OK) {
    const check_outcome outcome = shrink(&by, &what, &report->cases, report->failure);
    report->has_failed = outcome == CHECK_FAILED;
    report->refused = outcome == CHECK_REFUSED;
    status = outcome == CHECK_NO_MEMORY ? fail_out_of_memory(error) : RELAYOUT_OK;
  }
  checker_close(&by);
  return status;
}

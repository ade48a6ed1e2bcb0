/* lying_oracle.c: an oracle, a conformance suite and random cases that call every relayout wrong,
 * to test how the command reports it. */
#include <string.h>

#include "conformance/conformance.h"
#include "differential/differential.h"
#include "oracle/oracle.h"

/* The definition, but for the second byte. Right only for what test_differences.sh moves: u8[2,3]
 * to its ascending layout. */
void oracle_relayout_with(const oracle_options *options, const relayout_shape *from,
                          const relayout_shape *to, const void *source, void *destination) {
  (void)options;
  (void)from;
  (void)to;
  (void)source;
  memcpy(destination, "aebecf", 6);
}

relayout_status conformance_run(relayout_device *device, conformance_level level, uint64_t seed,
                                conformance_progress progress, void *context,
                                conformance_report *report, relayout_error *error) {
  (void)device;
  (void)level;
  (void)error;
  progress(context, 1, 1);
  *report = (conformance_report){.cases = 5, .failures = 2, .seed = seed};
  strcpy(report->first_failure, "u8[2] -> u8[3]");
  return RELAYOUT_OK;
}

relayout_status differential_run(const differential_options *options, differential_report *report,
                                 relayout_error *error) {
  (void)error;
  *report = (differential_report){
      .cases = options->most_cases, .has_failed = true, .failed_case = options->seed};
  strcpy(report->failure, "u8[9] -> u8[9]");
  return RELAYOUT_OK;
}

relayout_status differential_shrink(const differential_options *options, uint64_t number,
                                    differential_report *report, relayout_error *error) {
  (void)options;
  (void)error;
  *report = (differential_report){.cases = 4, .has_failed = true, .failed_case = number};
  strcpy(report->failure, "u8[1] -> u8[1]");
  return RELAYOUT_OK;
}

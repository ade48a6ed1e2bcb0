/* failure.h: keeping the first failure of a run, in a form to paste into a shell. */
#ifndef CONFORMANCE_FAILURE_H
#define CONFORMANCE_FAILURE_H

#include "conformance/conformance.h"
#include "conformance/trial.h"

/* Writes what was asked for, as a command and what no command takes. Room for
 * CONFORMANCE_FAILURE_SIZE bytes takes it all. */
void failure_describe(const relayout_device *device, const request *asked, char *text, size_t size);

/* Counts a failure of what was asked for; the text says what was found. */
void failure_add(conformance_report *report, const relayout_device *device, const request *asked,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif

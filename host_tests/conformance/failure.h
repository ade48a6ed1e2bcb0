/* failure.h: keeping the first failure of a run, in a form to paste into a shell. */
#ifndef CONFORMANCE_FAILURE_H
#define CONFORMANCE_FAILURE_H

#include "conformance/conformance.h"

/* Counts a failure of the relayout of `from` into `to`; the text says what was found. */
void failure_add(conformance_report *report, const relayout_device *device,
                 const relayout_shape *from, const relayout_shape *to, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif

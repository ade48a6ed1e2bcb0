/* cost_suite.h: the suites, for the programs here. Depends on bench/suite.h. */
#ifndef BENCH_COST_SUITE_H
#define BENCH_COST_SUITE_H

#include "bench/suite.h"

/* The suite of this name, `ttc-u8` say; ends the program where there is none. */
void cost_read_suite(const char *name, bench_suite *suite);

#endif

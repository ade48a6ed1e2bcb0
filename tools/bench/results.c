/* results.c: what a benchmark found, and its means. */
#include "results.h"

#include <stdlib.h>

#include "statistics.h"

/* `leads` has room for one number a case. */
static bench_lead lead_over(const bench_results *results, size_t peer, double *leads) {
  bench_lead made = {.worst_name = ""};
  for (size_t i = 0; i < results->count; i++) {
    const bench_result *const result = &results->cases[i];
    if (result->skipped[0] != '\0' || result->peers[peer].state != BENCH_PEER_MEASURED) {
      continue;
    }
    const double lead = result->peers[peer].median_s / result->median_s;
    if (made.measured == 0 || lead < made.worst) {
      made.worst = lead;
      made.worst_name = result->of.name;
    }
    leads[made.measured] = lead;
    made.measured += 1;
  }
  if (made.measured > 0) {
    made.geomean = statistics_geomean(leads, made.measured);
  }
  return made;
}

bool bench_summarize(const bench_results *results, bench_summary *summary) {
  double *const fractions = calloc(results->count + 1, sizeof *fractions);
  double *const copies = calloc(results->count + 1, sizeof *copies);
  if (fractions == NULL || copies == NULL) {
    free(fractions);
    free(copies);
    return false;
  }
  bench_summary made = {.worst_name = ""};
  for (size_t i = 0; i < results->count; i++) {
    const bench_result *const result = &results->cases[i];
    if (result->skipped[0] != '\0') {
      made.skipped += 1;
      continue;
    }
    if (made.measured == 0 || result->fraction < made.worst) {
      made.worst = result->fraction;
      made.worst_name = result->of.name;
    }
    fractions[made.measured] = result->fraction;
    copies[made.measured] = result->copy_gbps;
    made.measured += 1;
  }
  if (made.measured > 0) {
    made.geomean = statistics_geomean(fractions, made.measured);
    made.median = statistics_median(fractions, made.measured);
    made.copy_gbps = statistics_median(copies, made.measured);
  }
  for (size_t i = 0; i < results->peer_count; i++) {
    made.leads[i] = lead_over(results, i, fractions);
  }
  free(fractions);
  free(copies);
  *summary = made;
  return true;
}

void bench_results_free(bench_results *results) {
  for (size_t i = 0; i < results->count; i++) {
    free(results->cases[i].schedule);
  }
  free(results->cases);
  *results = (bench_results){.cases = NULL};
}

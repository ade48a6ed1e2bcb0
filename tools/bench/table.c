/* table.c: a benchmark's results printed as a table. */
#include "table.h"

#include <inttypes.h>

#include "size_text.h"

/* Wide enough for the names of all suites' cases, and of all methods. */
enum { NAME_WIDTH = 22, METHOD_WIDTH = 13 };

static void print_peers(const bench_results *results, FILE *file) {
  fputs("peers, also of copy:", file);
  for (size_t i = 0; i < results->peer_count; i++) {
    fprintf(file, "%s %s%s%s", i > 0 ? "," : "", results->peers[i].name,
            results->peers[i].missing != NULL ? " " : "",
            results->peers[i].missing != NULL ? results->peers[i].missing : "");
  }
  fprintf(file, "%s\n", results->peer_count == 0 ? " none on this device" : "");
}

void table_begin(const bench_results *results, FILE *file) {
  fprintf(file, "%s on %s: %s%s%s%s\n", results->suite, results->device.name,
          results->device.description, results->device.platform[0] != '\0' ? " (" : "",
          results->device.platform, results->device.platform[0] != '\0' ? ")" : "");
  fprintf(file,
          "%s; the %s clock counts; 'of copy' is against the best plain copy of as many bytes\n",
          results->is_hot ? "warm in the cache" : "cold in the cache", results->clock);
  if (results->pages != NULL) {
    fprintf(file, "%" PRIu32 " thread%s; %s pages\n", results->device.compute_units,
            results->device.compute_units == 1 ? "" : "s", results->pages);
  }
  if (results->is_unverified) {
    fputs("not verified\n", file);
  }
  if (results->effort == RELAYOUT_PLAN_MEASURE) {
    fputs("plans are measured\n", file);
  }
  if (results->with_peers) {
    print_peers(results, file);
  }
  fputc('\n', file);
  fprintf(file, "%-*s %-*s %10s %11s %11s %7s %7s %7s %9s", NAME_WIDTH, "CASE", METHOD_WIDTH,
          "METHOD", "BYTES", "MEDIAN", "WALL", "GB/S", "COPY", "OF COPY", "PREDICTED");
  for (size_t i = 0; i < results->peer_count; i++) {
    if (results->peers[i].missing == NULL) {
      fprintf(file, " %8s", results->peers[i].label);
    }
  }
  fputc('\n', file);
}

static void print_time(double seconds, FILE *file) {
  if (seconds < 1e-3) {
    fprintf(file, " %8.2f us", seconds * 1e6);
  } else {
    fprintf(file, " %8.2f ms", seconds * 1e3);
  }
}

static void print_peer(const bench_peer_result *peer, FILE *file) {
  switch (peer->state) {
  case BENCH_PEER_MISSING:
    return;
  case BENCH_PEER_IDLE:
    fprintf(file, " %8s", "-");
    return;
  case BENCH_PEER_MEASURED:
    fprintf(file, " %s%7.3f", peer->is_exact ? " " : "~", peer->fraction);
    return;
  case BENCH_PEER_FAILED:
    fprintf(file, " %8s", "failed");
    return;
  case BENCH_PEER_WRONG:
    fprintf(file, " %8s", "wrong");
    return;
  }
}

void table_row(const bench_result *row, FILE *file) {
  fprintf(file, "%-*s ", NAME_WIDTH, row->of.name);
  if (row->skipped[0] != '\0') {
    fprintf(file, "skipped: %s\n", row->skipped);
    return;
  }
  char bytes[SIZE_TEXT_CAPACITY];
  size_text(row->bytes, bytes);
  fprintf(file, "%-*s %10s", METHOD_WIDTH, row->method, bytes);
  print_time(row->median_s, file);
  print_time(row->median_wall_s, file);
  fprintf(file, " %7.2f %7.2f %7.3f %9.3f", row->gbps, row->copy_gbps, row->fraction,
          row->predicted);
  for (size_t i = 0; i < row->peer_count; i++) {
    print_peer(&row->peers[i], file);
  }
  fprintf(file, "%s\n", row->was_shrunk ? "  shrunk to fit" : "");
}

static void print_lead(const bench_peer *peer, const bench_lead *lead, FILE *file) {
  if (lead->measured > 0) {
    fprintf(file, "%.2f times as fast as %s in %zu case%s, in the worst %.2f times  %s\n",
            lead->geomean, peer->name, lead->measured, lead->measured > 1 ? "s" : "", lead->worst,
            lead->worst_name);
  }
}

static bool any_inexact(const bench_results *results) {
  bool any = false;
  for (size_t i = 0; i < results->count; i++) {
    for (size_t p = 0; p < results->peer_count; p++) {
      any = any || (results->cases[i].peers[p].state == BENCH_PEER_MEASURED &&
                    !results->cases[i].peers[p].is_exact);
    }
  }
  return any;
}

void table_end(const bench_results *results, const bench_summary *summary, FILE *file) {
  if (summary->measured > 0) {
    fprintf(file, "\n%-8s %6.3f of copy\n%-8s %6.3f\n%-8s %6.3f  %s\n", "geomean", summary->geomean,
            "median", summary->median, "worst", summary->worst, summary->worst_name);
    fprintf(file, "%-8s %6.2f GB/s\n", "copy", summary->copy_gbps);
  }
  for (size_t i = 0; i < results->peer_count; i++) {
    print_lead(&results->peers[i], &summary->leads[i], file);
  }
  if (any_inexact(results)) {
    fputs("~ not bit-exact: some NaNs, infinities or denormals came out changed\n", file);
  }
  if (summary->skipped > 0) {
    fprintf(file, "%zu of %zu cases skipped\n", summary->skipped, results->count);
  }
}

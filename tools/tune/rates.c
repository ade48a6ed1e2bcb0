/* rates.c: least squares of relative errors, one rate after the other, none below 0. */
#include "rates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 400, NONE = -1, MOST_SCHEDULE = 2048 };

/* How much a rate that was believed in before counts beside all samples, as a part of these. */
static const double belief = 0.00025;

static const char *const names[TUNE_RATES] = {
    "line_again", "line_in_parts", "run",  "straight_run", "transposed_line",
    "line",       "element",       "tile", "page",         "reworked_element"};

static void add_cost(void *context, const relayout_cost *cost) {
  tune_sample *const made = context;
  if (cost->rate == NULL) {
    made->known += cost->time;
    return;
  }
  for (int r = 0; r < TUNE_RATES; r++) {
    made->weights[r] += strcmp(names[r], cost->rate) == 0 ? cost->weight : 0;
  }
}

bool tune_sample_of(const relayout_plan *plan, double time, tune_sample *made) {
  char text[MOST_SCHEDULE];
  *made = (tune_sample){.time = time};
  if (relayout_plan_part_count(plan) != 1 ||
      relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text) >=
          sizeof text) {
    return false;
  }
  const char *const word = strstr(text, " word=");
  return word != NULL && sscanf(word, " word=%" SCNd32, &made->word) == 1 &&
         relayout_plan_visit_costs(plan, 0, add_cost, made, NULL) == RELAYOUT_OK;
}

static void name_line(int32_t word, char line[TUNE_VALUE_SIZE]) {
  snprintf(line, TUNE_VALUE_SIZE, "word %" PRId32 " rates ", word);
}

void tune_rates_read(const tune_row *row, int32_t word, tune_rates *made) {
  char line[TUNE_VALUE_SIZE];
  name_line(word, line);
  for (int r = 0; r < TUNE_RATES; r++) {
    made->of[r] = tune_row_get_number(row, line, names[r]);
  }
}

bool tune_rates_write(const tune_rates *rates, int32_t word, tune_row *row) {
  bool is_written = true;
  char line[TUNE_VALUE_SIZE];
  name_line(word, line);
  for (int r = 0; r < TUNE_RATES; r++) {
    char value[TUNE_VALUE_SIZE];
    snprintf(value, sizeof value, "%.4g", rates->of[r]);
    is_written = tune_row_set(row, line, names[r], value) && is_written;
  }
  return is_written;
}

/* The share of the time that is left for one rate by the others. */
static double left_for(const tune_sample *sample, const tune_rates *rates, int rate) {
  double left = sample->time - sample->known;
  for (int r = 0; r < TUNE_RATES; ++r) {
    left -= r == rate ? 0 : sample->weights[r] * rates->of[r];
  }
  return left;
}

/* The best value of one rate, where the others are as they are; `before` is what was believed. */
static double best_of(const tune_sample *samples, int64_t count, const tune_rates *rates, int rate,
                      double before) {
  double wanted = 0;
  double weight = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double asks = samples[i].weights[rate] / samples[i].time;
    wanted += asks * left_for(&samples[i], rates, rate) / samples[i].time;
    weight += asks * asks;
  }
  const double scale = before > 0.01 ? before : 0.01;
  const double inertia = belief * (double)count / (scale * scale);
  const double best = (wanted + inertia * before) / (weight + inertia);
  return best > 0 ? best : 0;
}

void tune_rates_fit(const tune_sample *samples, int64_t count, tune_rates *rates) {
  const tune_rates before = *rates;
  for (int round = 0; round < ROUNDS && count > 0; ++round) {
    for (int r = 0; r < TUNE_RATES; ++r) {
      rates->of[r] = best_of(samples, count, rates, r, before.of[r]);
    }
  }
}

double tune_rates_error(const tune_sample *samples, int64_t count, const tune_rates *rates) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double error = left_for(&samples[i], rates, NONE) / samples[i].time;
    sum += error * error;
  }
  return sum;
}

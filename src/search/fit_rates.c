/* fit_rates.c: least squares of relative errors, one rate after the other, none below 0. */
#include "search/fit_rates.h"

enum { ROUNDS = 400 };

/* How much a rate that was believed in before counts beside all samples, as a part of these. */
static const double belief = 0.0005;

rlt_sample rlt_sample_of(const rlt_facts *facts, const rlt_schedule *schedule, const rlt_cost *cost,
                         double time) {
  rlt_sample made = {.known =
                         cost->times[RLT_COST_LINES_READ] + cost->times[RLT_COST_LINES_WRITTEN],
                     .time = time};
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    const rlt_price price = rlt_cost_price(facts, schedule, (rlt_cost_term)t);
    made.weights[price.rate] += cost->counts[t] * price.times / cost->least_time;
  }
  return made;
}

/* The share of the time that is left for one rate by the others. */
static double left_for(const rlt_sample *sample, const rlt_rates *rates, int rate) {
  double left = sample->time - sample->known;
  for (int r = 1; r < RLT_RATES; ++r) {
    left -= r == rate ? 0 : sample->weights[r] * rates->of[r];
  }
  return left;
}

/* The best value of one rate, where the others are as they are; `before` is what was believed. */
static double best_of(const rlt_sample *samples, int64_t count, const rlt_rates *rates, int rate,
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

void rlt_rates_fit(const rlt_sample *samples, int64_t count, rlt_rates *rates) {
  const rlt_rates before = *rates;
  for (int round = 0; round < ROUNDS && count > 0; ++round) {
    for (int r = 1; r < RLT_RATES; ++r) {
      rates->of[r] = best_of(samples, count, rates, r, before.of[r]);
    }
  }
}

double rlt_rates_error(const rlt_sample *samples, int64_t count, const rlt_rates *rates) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double error = left_for(&samples[i], rates, RLT_RATE_NONE) / samples[i].time;
    sum += error * error;
  }
  return sum;
}

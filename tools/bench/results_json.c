/* results_json.c: a benchmark's results written as JSON. */
#include "results_json.h"

#include "json_output.h"

static json_t *json_of_shape(const relayout_shape *shape) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, text, sizeof text);
  return json_of_text(text);
}

/* What every case begins with. */
static json_t *json_of_case(const bench_case *of) {
  return json_of_members((json_member[]){{"name", json_of_text(of->name)},
                                         {"from", json_of_shape(&of->from)},
                                         {"to", json_of_shape(&of->to)},
                                         {NULL, NULL}});
}

static json_t *json_of_peer_result(const bench_peer *peer, const bench_peer_result *result) {
  json_t *const object =
      json_of_members((json_member[]){{"name", json_of_text(peer->name)}, {NULL, NULL}});
  if (result->state == BENCH_PEER_MEASURED) {
    return json_with_members(
        object, (json_member[]){{"median_s", json_of_number(result->median_s)},
                                {"fraction", json_of_number(result->fraction)},
                                {"result", json_of_text(result->is_exact ? "exact" : "inexact")},
                                {NULL, NULL}});
  }
  const char *const reason =
      result->state == BENCH_PEER_WRONG ? "the result is wrong" : result->message;
  return json_with_member(object, "reason", json_of_text(reason));
}

static json_t *json_of_peer_results(const bench_results *results, const bench_result *result) {
  json_t *peers = json_of_no_elements();
  for (size_t i = 0; i < results->peer_count; i++) {
    if (result->peers[i].state > BENCH_PEER_IDLE) {
      peers = json_with_element(peers, json_of_peer_result(&results->peers[i], &result->peers[i]));
    }
  }
  return peers;
}

static json_t *json_of_measured(const bench_results *results, const bench_result *result) {
  json_t *const object =
      json_with_members(json_of_case(&result->of),
                        (json_member[]){{"bytes", json_of_size(result->bytes)},
                                        {"median_s", json_of_number(result->median_s)},
                                        {"gbps", json_of_number(result->gbps)},
                                        {"fraction", json_of_number(result->fraction)},
                                        {"predicted_fraction", json_of_number(result->predicted)},
                                        {"schedule", json_of_text(result->schedule)},
                                        {"method", json_of_text(result->method)},
                                        {"copy_gbps", json_of_number(result->copy_gbps)},
                                        {"copy", json_of_text(result->copy)},
                                        {"spread", json_of_number(result->spread)},
                                        {"median_wall_s", json_of_number(result->median_wall_s)},
                                        {"repetitions", json_of_size(result->repetitions)},
                                        {NULL, NULL}});
  if (!results->with_peers) {
    return object;
  }
  return json_with_member(object, "peers", json_of_peer_results(results, result));
}

static json_t *json_of_lead(const bench_peer *peer, const bench_lead *lead) {
  json_t *const object =
      json_of_members((json_member[]){{"name", json_of_text(peer->name)}, {NULL, NULL}});
  if (peer->missing != NULL) {
    return json_with_member(object, "missing", json_of_text(peer->missing));
  }
  return json_with_members(object, (json_member[]){{"cases", json_of_size(lead->measured)},
                                                   {"geomean_lead", json_of_number(lead->geomean)},
                                                   {"min_lead", json_of_number(lead->worst)},
                                                   {NULL, NULL}});
}

static json_t *json_of_leads(const bench_results *results, const bench_summary *summary) {
  json_t *leads = json_of_no_elements();
  for (size_t i = 0; i < results->peer_count; i++) {
    leads = json_with_element(leads, json_of_lead(&results->peers[i], &summary->leads[i]));
  }
  return leads;
}

static json_t *json_of_skipped(const bench_result *result) {
  return json_with_member(json_of_case(&result->of), "reason", json_of_text(result->skipped));
}

/* The cases that were measured, or those that were not. */
static json_t *json_of_cases(const bench_results *results, bool measured) {
  json_t *cases = json_of_no_elements();
  for (size_t i = 0; i < results->count; i++) {
    const bench_result *const result = &results->cases[i];
    if ((result->skipped[0] == '\0') == measured) {
      cases = json_with_element(cases, measured ? json_of_measured(results, result)
                                                : json_of_skipped(result));
    }
  }
  return cases;
}

/* What ran, and where. */
static json_t *json_of_circumstances(const bench_results *results) {
  json_t *object = json_of_members(
      (json_member[]){{"version", json_of_text(relayout_version())},
                      {"suite", json_of_text(results->suite)},
                      {"cache", json_of_text(results->is_hot ? "hot" : "cold")},
                      {"device", json_of_text(results->device.name)},
                      {"description", json_of_text(results->device.description)},
                      {"platform", json_of_text(results->device.platform)},
                      {"driver", json_of_text(results->device.driver)},
                      {"compute_units", json_of_size(results->device.compute_units)},
                      {"clock", json_of_text(results->clock)},
                      {NULL, NULL}});
  if (results->pages != NULL) {
    object = json_with_member(object, "pages", json_of_text(results->pages));
  }
  const bool measures = results->effort == RELAYOUT_PLAN_MEASURE;
  object = json_with_member(object, "effort", json_of_text(measures ? "measure" : "estimate"));
  if (!results->is_unverified) {
    return object;
  }
  return json_with_member(object, "verified", json_of_text("no"));
}

exit_code results_json_write(const bench_results *results, const bench_summary *summary,
                             FILE *file) {
  json_t *object =
      json_with_members(json_of_circumstances(results),
                        (json_member[]){{"copy_gbps", json_of_number(summary->copy_gbps)},
                                        {"cases", json_of_cases(results, true)},
                                        {"skipped", json_of_cases(results, false)},
                                        {NULL, NULL}});
  if (results->with_peers) {
    object = json_with_member(object, "peers", json_of_leads(results, summary));
  }
  object = json_with_members(object,
                             (json_member[]){{"geomean_fraction", json_of_number(summary->geomean)},
                                             {"median_fraction", json_of_number(summary->median)},
                                             {"min_fraction", json_of_number(summary->worst)},
                                             {NULL, NULL}});
  return json_print_line(object, file);
}

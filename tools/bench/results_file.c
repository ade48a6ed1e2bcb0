/* results_file.c: a benchmark's results read back from JSON. */
#include "results_file.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json_text.h"

static relayout_status fail_member(const char *what, const char *key, relayout_error *error) {
  return fail_with(error, RELAYOUT_INVALID_TEXT, "%s has no '%s', or one of another type", what,
                   key);
}

/* ---- A case --------------------------------------------------------------------------------- */

static relayout_status read_shape(const json_t *json, const char *key, relayout_shape *shape,
                                  relayout_error *error) {
  const char *const text = json_string_value(json_object_get(json, key));
  return text != NULL ? relayout_shape_parse(text, shape, error)
                      : fail_member("a case", key, error);
}

static relayout_status read_name_and_shapes(const json_t *json, bench_case *of,
                                            relayout_error *error) {
  if (!json_text_copy(json_object_get(json, "name"), sizeof of->name, of->name)) {
    return fail_member("a case", "name", error);
  }
  const relayout_status status = read_shape(json, "from", &of->from, error);
  return status == RELAYOUT_OK ? read_shape(json, "to", &of->to, error) : status;
}

static relayout_status read_numbers(const json_t *json, bench_result *result,
                                    relayout_error *error) {
  double bytes, repetitions;
  const struct {
    const char *key;
    double *number;
  } numbers[] = {{"bytes", &bytes},
                 {"repetitions", &repetitions},
                 {"median_s", &result->median_s},
                 {"median_wall_s", &result->median_wall_s},
                 {"gbps", &result->gbps},
                 {"copy_gbps", &result->copy_gbps},
                 {"fraction", &result->fraction},
                 {"predicted_fraction", &result->predicted},
                 {"spread", &result->spread}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    const json_t *const value = json_object_get(json, numbers[i].key);
    if (!json_text_number(value, numbers[i].number) || !(*numbers[i].number >= 0) ||
        *numbers[i].number > 1e18) {
      return fail_member("a case", numbers[i].key, error);
    }
  }
  if (!(result->fraction > 0)) { /* there is no geomean of others */
    return fail_member("a case", "fraction", error);
  }
  result->bytes = (size_t)bytes;
  result->repetitions = (size_t)repetitions;
  return RELAYOUT_OK;
}

static relayout_status read_peer(const json_t *json, bench_peer_result *peer,
                                 relayout_error *error) {
  const char *const result = json_string_value(json_object_get(json, "result"));
  if (result == NULL) {
    peer->state = BENCH_PEER_FAILED;
    return json_text_copy(json_object_get(json, "reason"), sizeof peer->message, peer->message)
               ? RELAYOUT_OK
               : fail_member("a peer", "reason", error);
  }
  peer->state = BENCH_PEER_MEASURED;
  peer->is_exact = strcmp(result, "exact") == 0;
  return json_text_number(json_object_get(json, "median_s"), &peer->median_s) &&
                 json_text_number(json_object_get(json, "fraction"), &peer->fraction) &&
                 peer->median_s > 0 && peer->fraction > 0
             ? RELAYOUT_OK
             : fail_member("a peer", "median_s' or 'fraction", error);
}

/* What the results' peers did with the case. One that it does not name could not do it. */
static relayout_status read_peers(const json_t *json, const bench_results *results,
                                  bench_result *result, relayout_error *error) {
  const json_t *const listed = json_object_get(json, "peers");
  result->peer_count = results->peer_count;
  for (size_t p = 0; p < results->peer_count; p++) {
    result->peers[p].state =
        results->peers[p].missing == NULL ? BENCH_PEER_IDLE : BENCH_PEER_MISSING;
    for (size_t i = 0; i < json_array_size(listed); i++) {
      const json_t *const peer = json_array_get(listed, i);
      const char *const name = json_string_value(json_object_get(peer, "name"));
      if (name != NULL && strcmp(name, results->peers[p].name) == 0) {
        const relayout_status status = read_peer(peer, &result->peers[p], error);
        if (status != RELAYOUT_OK) {
          return status;
        }
      }
    }
  }
  return RELAYOUT_OK;
}

static relayout_status read_measured(const json_t *json, const bench_results *results,
                                     bench_result *result, relayout_error *error) {
  relayout_status status = read_name_and_shapes(json, &result->of, error);
  if (status == RELAYOUT_OK) {
    status = read_numbers(json, result, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  const char *const schedule = json_string_value(json_object_get(json, "schedule"));
  result->method = json_string_value(json_object_get(json, "method"));
  result->copy = json_string_value(json_object_get(json, "copy"));
  if (result->method == NULL || result->copy == NULL || schedule == NULL) {
    return fail_member("a case", "method', 'copy' or 'schedule", error);
  }
  result->schedule = strdup(schedule);
  if (result->schedule == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a case's schedule");
  }
  return read_peers(json, results, result, error);
}

static relayout_status read_skipped(const json_t *json, bench_result *result,
                                    relayout_error *error) {
  if (!json_text_copy(json_object_get(json, "reason"), sizeof result->skipped, result->skipped) ||
      result->skipped[0] == '\0') {
    return fail_member("a skipped case", "reason", error);
  }
  return read_name_and_shapes(json, &result->of, error);
}

/* ---- All of them ---------------------------------------------------------------------------- */

static relayout_status read_cases(const json_t *json, bench_results *results,
                                  relayout_error *error) {
  const json_t *const measured = json_object_get(json, "cases");
  const json_t *const skipped = json_object_get(json, "skipped");
  if (!json_is_array(measured)) {
    return fail_member("a benchmark", "cases", error);
  }
  const size_t measured_count = json_array_size(measured);
  const size_t count = measured_count + json_array_size(skipped);
  results->cases = calloc(count > 0 ? count : 1, sizeof *results->cases);
  if (results->cases == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu cases", count);
  }
  relayout_status status = RELAYOUT_OK;
  while (results->count < count && status == RELAYOUT_OK) {
    const size_t at = results->count;
    bench_result *const result = &results->cases[at];
    status = at < measured_count
                 ? read_measured(json_array_get(measured, at), results, result, error)
                 : read_skipped(json_array_get(skipped, at - measured_count), result, error);
    results->count += 1;
  }
  return status;
}

static relayout_status read_listed_peers(const json_t *json, bench_results *results,
                                         relayout_error *error) {
  const json_t *const listed = json_object_get(json, "peers");
  results->with_peers = listed != NULL;
  results->peer_count = json_array_size(listed);
  if (results->peer_count > BENCH_MOST_PEERS) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "'peers' lists %zu, more than %d",
                     results->peer_count, BENCH_MOST_PEERS);
  }
  for (size_t i = 0; i < results->peer_count; i++) {
    const json_t *const peer = json_array_get(listed, i);
    bench_peer *const made = &results->peers[i];
    made->name = json_string_value(json_object_get(peer, "name"));
    made->label = made->name;
    made->missing = json_string_value(json_object_get(peer, "missing"));
    if (made->name == NULL) {
      return fail_member("a peer", "name", error);
    }
  }
  return RELAYOUT_OK;
}

static bool has_text(const json_t *json, const char *key, const char *text) {
  const char *const found = json_string_value(json_object_get(json, key));
  return found != NULL && strcmp(found, text) == 0;
}

static relayout_status read_circumstances(const json_t *json, bench_results *results,
                                          relayout_error *error) {
  relayout_device_info *const device = &results->device;
  *device = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  const struct {
    const char *key;
    size_t capacity;
    char *text;
  } texts[] = {{"device", sizeof device->name, device->name},
               {"description", sizeof device->description, device->description},
               {"platform", sizeof device->platform, device->platform},
               {"driver", sizeof device->driver, device->driver}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (!json_text_copy(json_object_get(json, texts[i].key), texts[i].capacity, texts[i].text)) {
      return fail_member("a benchmark", texts[i].key, error);
    }
  }
  const json_int_t units = json_integer_value(json_object_get(json, "compute_units"));
  device->compute_units = units > 0 && units <= UINT32_MAX ? (uint32_t)units : 0;
  results->suite = json_string_value(json_object_get(json, "suite"));
  results->clock = json_string_value(json_object_get(json, "clock"));
  if (results->suite == NULL || results->clock == NULL) {
    return fail_member("a benchmark", results->suite == NULL ? "suite" : "clock", error);
  }
  results->pages = json_string_value(json_object_get(json, "pages"));
  results->is_hot = has_text(json, "cache", "hot");
  results->is_unverified = has_text(json, "verified", "no");
  results->effort =
      has_text(json, "effort", "measure") ? RELAYOUT_PLAN_MEASURE : RELAYOUT_PLAN_ESTIMATE;
  return RELAYOUT_OK;
}

relayout_status results_file_parse(const char *text, results_file *file, relayout_error *error) {
  results_file made = {.json = NULL};
  relayout_status status = json_text_read(text, strlen(text), &made.json, error);
  if (status == RELAYOUT_OK) {
    status = read_circumstances(made.json, &made.results, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_listed_peers(made.json, &made.results, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_cases(made.json, &made.results, error);
  }
  if (status == RELAYOUT_OK) {
    *file = made;
  } else {
    results_file_free(&made);
  }
  return status;
}

void results_file_free(results_file *file) {
  bench_results_free(&file->results);
  json_decref(file->json);
  *file = (results_file){.json = NULL};
}

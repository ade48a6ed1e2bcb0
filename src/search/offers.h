/* offers.h: every schedule that the methods offer for a problem on a device.
 *
 * Depends on schedule.h, tuning.h and cost.h.
 */
#ifndef RLT_SEARCH_OFFERS_H
#define RLT_SEARCH_OFFERS_H

#include "relayout/status.h"
#include "schedule/schedule.h"
#include "search/cost.h"
#include "search/tuning.h"

typedef struct rlt_offer {
  rlt_schedule schedule;
  rlt_cost cost;
  bool varied; /* what differs from it in one respect is offered too */
} rlt_offer;

enum { RLT_MOST_FORMS = 2 };

/* The problem in each of the words that it may move in. */
typedef struct rlt_forms {
  int32_t count;
  rlt_problem of[RLT_MOST_FORMS]; /* elements, then wider words or bytes with bits transposed */
} rlt_forms;

/* Whether it is to be had where places may be any. */
static inline bool rlt_offer_is_allowed(const rlt_offer *offer, bool at_any_offset) {
  return !at_any_offset || !offer->schedule.only_aligned;
}

/* What is asked for beyond the problem. */
typedef struct rlt_offers_request {
  const struct rlt_method *method; /* the only one that is asked; NULL: all are */
  bool stays_cached; /* no store goes past the cache: the destination is read again at once */
} rlt_offers_request;

/* All differ. Those of wider words come first, in the order of the methods' table. */
typedef struct rlt_offers {
  const rlt_facts *facts;
  const rlt_tuning *tuning;
  const rlt_forms *forms;
  rlt_offers_request request;
  bool has_all; /* also what is hardly ever the best */
  int32_t count;
  int32_t capacity;
  rlt_offer *of;
  bool lacks_memory;
} rlt_offers;

/* Of a problem that is there as the first, simplified and not empty. */
void rlt_forms_make(const rlt_facts *facts, rlt_forms *made);

/* Schedules of all forms, which outlive them: those that are likely to be the best. `request` may
 * be NULL. After a failure there are none. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_offers_make(const rlt_forms *forms, const rlt_facts *facts,
                                const rlt_tuning *tuning, const rlt_offers_request *request,
                                rlt_offers *made, relayout_error *error);

/* Adds what is hardly ever the best, tiles of all sizes; once. As much as there is memory for. */
void rlt_offers_add_all(rlt_offers *offers);

/* Adds what differs from one offer, by number, in one respect: the order of tiles, what is fetched
 * ahead, or how tiles leave; nothing for -1. As much as there is memory for. */
void rlt_offers_vary(rlt_offers *offers, int32_t number);

void rlt_offers_free(rlt_offers *offers);

/* Those of the highest predicted fraction first; of equals, those that were offered first. */
void rlt_offers_sort(rlt_offers *offers);

/* For methods: adds what they have filled in of a schedule, the problem, the method,
 * the tile, the move and what suits; all else becomes what those and the device ask
 * for. Nothing is added twice. */
void rlt_offers_add(rlt_offers *offers, const rlt_schedule *schedule);

#endif

/* local_groups.h: tiles of several axes on each side, for work-items that share local
 * memory. Depends on method.h. */
#ifndef RLT_PLAN_METHODS_LOCAL_GROUPS_H
#define RLT_PLAN_METHODS_LOCAL_GROUPS_H

#include "plan/methods/method.h"

/* Offers `like` with such tiles: one that takes what local memory may, and one of a quarter. */
void rlt_offer_local_groups(const rlt_scene *scene, const rlt_schedule *like, rlt_offers *offers);

#endif

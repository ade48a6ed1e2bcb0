/* wisdom.h: what was measured to be the fastest, problem by problem, for the next plan and the next
 * process; FFTW's word for it.
 *
 * As text, in a file and wherever a caller keeps it:
 *
 *     relayout wisdom 3
 *     device: AMD EPYC 9654, 2 compute units
 *     driver:
 *     bytes 4 elements 64:64 starts 0:0 keeps 8/8:8:1 8/8:1:8 = transpose word=4 align=1:1 ...
 *
 * A line is a simplified problem, as problem_text.h has it, with ` cached` behind it where its
 * destination is to stay in the cache, and the schedule that won it, as schedule_text.h has it;
 * behind ` | ` the one that won at any offset, where the first asks for more alignment. Lines that
 * cannot be read are passed over, and so is a whole text of another version, device or driver; a
 * schedule that is offered no more does no harm. Any number of threads may use one device's wisdom
 * at once.
 *
 * A line of a plan of several destinations begins with `sides` in place of `bytes`, and has the
 * texts of all sides and the schedule of plan/many_schedule.h.
 *
 * Depends on device/target.h, candidates.h, problem/ and base/.
 */
#ifndef RLT_SEARCH_WISDOM_H
#define RLT_SEARCH_WISDOM_H

#include "device/target.h"
#include "search/candidates.h"

typedef struct rlt_wisdom rlt_wisdom;

/* None, and no file. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_wisdom_create(rlt_wisdom **wisdom, relayout_error *error);
void rlt_wisdom_destroy(rlt_wisdom *wisdom);

/* Keeps the device's wisdom in a file of this folder, which is read when it is first needed; NULL
 * for no file. Before any plan is made. */
void rlt_wisdom_keep_in(relayout_device *device, const char *folder);

/* The folder; NULL if there is none. */
const char *rlt_wisdom_folder(const relayout_device *device);

/* The candidates, by number, that are known to be the best for this problem: the best at offset 0,
 * and then the best at any. How many are known; RLT_MOST_WAYS at most. */
int32_t rlt_wisdom_find(relayout_device *device, const rlt_problem *problem,
                        rlt_candidates *candidates, int32_t *found);

/* How long something is remembered: by this device, until it is destroyed; or by the file too. */
typedef enum rlt_wisdom_reach { RLT_WISDOM_OF_DEVICE, RLT_WISDOM_OF_FILE } rlt_wisdom_reach;

/* From now on these do. What other processes have put in the file meanwhile stays there. */
void rlt_wisdom_remember(relayout_device *device, const rlt_problem *problem,
                         const rlt_candidates *candidates, const int32_t *won, int32_t count,
                         rlt_wisdom_reach reach);

/* Whether nothing is known. */
bool rlt_wisdom_is_empty(relayout_device *device);

/* The same for plans of several destinations: what they are known by begins with
 * RLT_WISDOM_OF_SIDES. Turns a text, in room for a line, into the schedule's that is known for it;
 * false for none. */
bool rlt_wisdom_find_text(relayout_device *device, char *line);
void rlt_wisdom_remember_text(relayout_device *device, const char *known_by, const char *schedule);

/* A text of wisdom, also a file's, has so many bytes at most. */
enum { RLT_MOST_WISDOM_TEXT = 16 << 20 };

/* Takes a text's lines in place of those of the same problems. False where there was no memory for
 * some. */
bool rlt_wisdom_import(relayout_device *device, const char *text, size_t size);

#endif

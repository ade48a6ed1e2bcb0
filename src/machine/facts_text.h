/* facts_text.h: what a machine is, as one line of text: what RELAYOUT_CPU_FACTS takes, and what a
 * machine is known by.
 *
 *     line=64 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 tlb=64:2048 vector=32
 *         streams=1
 *
 * (on one line) has, in numbers of which 0 is always "unknown" or "none",
 *
 *     line        bytes that memory moves at once
 *     l1, l2, l3  bytes, ways, and the processors that share it, of each level of caches
 *     page        bytes of an ordinary page
 *     tlb         pages whose places the first and the second level know
 *     vector      bytes of a register
 *     streams     1 where stores may go past the caches
 *
 * The facts that are a backend's own choice, such as what it stages in, are not there.
 *
 * Depends on facts.h, metadata/ and base/.
 */
#ifndef RLT_MACHINE_FACTS_TEXT_H
#define RLT_MACHINE_FACTS_TEXT_H

#include "base/text.h"
#include "machine/facts.h"
#include "relayout/status.h"

/* Room for any facts' text. */
enum { RLT_FACTS_TEXT_SIZE = 256 };

/* All fields, in the order above: the same facts have the same text. */
void rlt_facts_add_text(const rlt_machine *facts, rlt_text *text);

/* Changes the facts that the text names. Fields stand in any order with spaces between them, and
 * numbers at a field's end may be left out when they are 0. Levels of caches behind one that
 * becomes 0 become so too. RELAYOUT_INVALID_TEXT, with no fact changed, for anything else: also for
 * numbers that no machine has, and for a level behind one of which nothing is known. */
relayout_status rlt_facts_read_text(const char *text, rlt_machine *facts, relayout_error *error);

#endif

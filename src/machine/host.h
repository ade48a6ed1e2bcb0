/* host.h: what the processors are that this process runs on.
 *
 * Depends on machine/facts.h.
 */
#ifndef RLT_MACHINE_HOST_H
#define RLT_MACHINE_HOST_H

#include "machine/facts.h"

/* Fills in the facts of lines, caches, pages and the TLB's, and leaves the others as they are. What
 * the system does not tell is 0: nothing is timed to find out, for what a busy or an emulated
 * processor would answer is no fact. The system is asked once in a process. */
void rlt_host_add_facts(rlt_machine *facts);

#endif

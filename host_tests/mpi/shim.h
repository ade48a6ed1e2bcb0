/* shim.h: MPI's calls between a program and MPI, by its profiling interface: a call that fails,
 * others that come late, and ends of messages that are told in another order. Depends on MPI. */
#ifndef MPI_SHIM_H
#define MPI_SHIM_H

#include <stdbool.h>
#include <stdint.h>

/* From now on this rank's call of that number, counted from 1, returns MPI_ERR_OTHER and does
 * nothing; 0: none does. Collective calls do not count, nor do those that cannot fail. */
void shim_fail(int64_t number);

/* How many calls there were since then, and whether one failed. */
int64_t shim_count(void);
bool shim_has_failed(void);

/* Calls wait for a while, and ends come in another order, by this seed; 0: as MPI has it. */
void shim_disturb(uint64_t seed);

#endif

/* environment.h: the environment, for a process that may listen to it. Depends on nothing.
 *
 * Every variable that the library reads is read here. A process with raised rights has an
 * environment that somebody with fewer rights wrote: it reads none.
 */
#ifndef RLT_BASE_ENVIRONMENT_H
#define RLT_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* True if the process runs with more rights than who started it: a set-user-ID or set-group-ID
 * program, also after it has made its ids equal, a program with file capabilities, or whatever else
 * the system marks by AT_SECURE. True also while real and effective ids differ. */
bool rlt_has_raised_rights(void);

/* As getenv; NULL for every name if the process has raised rights. */
const char *rlt_environment(const char *name);

#endif

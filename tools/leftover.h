/* leftover.h: removes the unfinished output file when a signal ends the
 * process. Depends on POSIX. */
#ifndef TOOLS_LEFTOVER_H
#define TOOLS_LEFTOVER_H

enum { LEFTOVER_NAME_SIZE = 64 };

/* From now on, a signal that ends the process removes this file of an open directory first. Signals
 * that are ignored or have a handler keep what they have; no handler sees SIGKILL. The name must be
 * this process's own, for it may be removed before it is there. */
void leftover_note(int directory, const char *name);

/* Signals are as they were before the note. */
void leftover_forget(void);

#endif

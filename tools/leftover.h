/* leftover.h: removes unfinished output files when a signal ends the process. Depends on POSIX. */
#ifndef TOOLS_LEFTOVER_H
#define TOOLS_LEFTOVER_H

enum { LEFTOVER_NAME_SIZE = 64, LEFTOVER_MOST_FILES = 256 };

/* From now on, a signal that ends the process removes this file of an open directory first. Signals
 * that are ignored or have a handler keep what they have; no handler sees SIGKILL. The name must be
 * this process's own, for it may be removed before it is there. No more than LEFTOVER_MOST_FILES
 * are noted at a time; a signal leaves the others. */
void leftover_note(int directory, const char *name);

/* Takes the note of this name back, if there is one. After the last, signals are as they were. */
void leftover_forget(const char *name);

#endif

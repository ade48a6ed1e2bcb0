/* sysfs.h: caches as Linux tells of them in files. Depends on machine/facts.h. */
#ifndef RLT_MACHINE_SYSFS_H
#define RLT_MACHINE_SYSFS_H

#include "machine/facts.h"

/* Where Linux has the folders of its processors. */
#define RLT_SYSFS_PROCESSORS "/sys/devices/system/cpu"

/* Fills in line_bytes and all caches from the files of two processors in such a folder, which may
 * be the same: the first and the last of those that matter. Processors of one kind are numbered one
 * after the other, so where there are two kinds these differ, and each level becomes that of which
 * a processor has the smaller part. What is missing in the files, or is no size that a cache could
 * have, is unknown: 0. */
void rlt_sysfs_read_caches(const char *folder, int32_t first, int32_t last, rlt_machine *facts);

#endif

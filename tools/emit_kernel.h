/* emit_kernel.h: `relayout emit kernel` prints what a relayout does as a text to compile. Depends
 * on arguments.h. */
#ifndef TOOLS_EMIT_KERNEL_H
#define TOOLS_EMIT_KERNEL_H

#include "command.h"

/* With the words behind `kernel`. */
exit_code emit_kernel_run(int argument_count, char **arguments);

#endif

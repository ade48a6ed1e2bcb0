/* hand_in.h: OpenCL's functions as the program is linked with them, wrapped ones among them. A
 * program that is linked with hand_in.c has the library call them, from before main on. */
#ifndef HOST_TESTS_OPENCL_HAND_IN_H
#define HOST_TESTS_OPENCL_HAND_IN_H

/* A relayout_opencl_lookup; the context is not used. */
void *hand_in_find(void *context, const char *name);

#endif

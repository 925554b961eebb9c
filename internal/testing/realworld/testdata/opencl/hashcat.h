// What hashcat's sources expect of the program that includes them.
#define KERNEL_STATIC
#define QUOTE2(x) #x
#define QUOTE(x) QUOTE2(x)
#define INCLUDE_PATH .
#define M2S QUOTE
#define DEVICE_TYPE 4
#define VECT_SIZE 1
#define DGST_ELEM 4
#define DGST_R0 0
#define DGST_R1 1
#define DGST_R2 2
#define DGST_R3 3

#include "inc_vendor.h"
#undef DECLSPEC
#define DECLSPEC static // unused functions cost nothing
#include "inc_types.h"
#include "inc_platform.cl"
#include "inc_common.cl"

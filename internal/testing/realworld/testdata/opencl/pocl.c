// pocl runs OpenCL kernels on the first CPU device and writes their buffers back.
//
//   pocl JOB
//
// JOB has one command a line, with fields separated by tabs:
//
//   build   SOURCE OPTIONS               the program of the kernels that follow
//   buffer  FILE                         the next argument: a buffer with the file's bytes
//   again   I                            the next argument: the I-th buffer or image once more
//   bytes   HEX                          the next argument: a value
//   local   BYTES                        the next argument: local memory
//   image   FILE DIM ORDER TYPE X Y Z    the next argument: an image with the file's texels
//   sampler FILTER ADDRESS NORMALIZED    the next argument: a sampler
//   run     KERNEL X Y Z LX LY LZ        runs the kernel and rewrites the files of buffers and images
//
// Arguments hold for the next run only.
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 64, MAX_FIELDS = 9 };

typedef struct {
	cl_mem buffer;
	cl_sampler sampler;
	size_t size;
	size_t texels[3]; // of an image; 0 for a buffer
	size_t bytes;     // of an image
	void *value;      // NULL: local memory
	char *file;       // of a buffer or an image, to be rewritten
} Arg;

typedef struct {
	const char *name;
	cl_uint value;
} Word;

static const Word dims[] = {
	{"1d", CL_MEM_OBJECT_IMAGE1D}, {"1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY}, {"2d", CL_MEM_OBJECT_IMAGE2D},
	{"2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY}, {"3d", CL_MEM_OBJECT_IMAGE3D}, {0},
};
static const Word orders[] = {
	{"r", CL_R}, {"a", CL_A}, {"rg", CL_RG}, {"rgba", CL_RGBA}, {"bgra", CL_BGRA}, {"argb", CL_ARGB}, {"depth", CL_DEPTH}, {0},
};
static const Word types[] = {
	{"unorm8", CL_UNORM_INT8}, {"unorm16", CL_UNORM_INT16}, {"snorm8", CL_SNORM_INT8}, {"snorm16", CL_SNORM_INT16},
	{"i8", CL_SIGNED_INT8}, {"i16", CL_SIGNED_INT16}, {"i32", CL_SIGNED_INT32}, {"u8", CL_UNSIGNED_INT8},
	{"u16", CL_UNSIGNED_INT16}, {"u32", CL_UNSIGNED_INT32}, {"half", CL_HALF_FLOAT}, {"float", CL_FLOAT}, {0},
};
static const Word filters[] = {{"nearest", CL_FILTER_NEAREST}, {"linear", CL_FILTER_LINEAR}, {0}};
static const Word addresses[] = {
	{"none", CL_ADDRESS_NONE}, {"clamp", CL_ADDRESS_CLAMP}, {"clamp_to_edge", CL_ADDRESS_CLAMP_TO_EDGE},
	{"repeat", CL_ADDRESS_REPEAT}, {"mirrored", CL_ADDRESS_MIRRORED_REPEAT}, {0},
};

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static Arg args[MAX_ARGS];
static int num_args, buffers[MAX_ARGS], num_buffers;

static void fail(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(1);
}

static void check(cl_int status, const char *what)
{
	if (status != CL_SUCCESS)
		fail("%s: OpenCL error %d", what, status);
}

static void *allocate(size_t size)
{
	void *p = calloc(1, size + 1);
	if (!p)
		fail("out of memory");
	return p;
}

static void *read_file(const char *name, size_t *size)
{
	FILE *f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		fail("%s: cannot be read", name);
	*size = ftell(f);
	rewind(f);
	char *data = allocate(*size);
	if (fread(data, 1, *size, f) != *size)
		fail("%s: cannot be read", name);
	fclose(f);
	return data;
}

static void start(void)
{
	cl_platform_id platforms[16];
	cl_uint count;
	cl_int status;
	check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
	for (cl_uint i = 0; i < count && i < 16 && !device; i++)
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
			device = NULL;
	if (!device)
		fail("no OpenCL device for the CPU");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
	check(status, "clCreateCommandQueueWithProperties");
}

static void build(char *name, char *options)
{
	size_t size;
	cl_int status;
	const char *text = read_file(name, &size);
	program = clCreateProgramWithSource(context, 1, &text, &size, &status);
	check(status, name);
	status = clBuildProgram(program, 1, &device, options, NULL, NULL);
	if (status != CL_SUCCESS) {
		char *log = allocate(1 << 20);
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 1 << 20, log, NULL);
		fail("%s: OpenCL error %d\n%s", name, status, log);
	}
}

static Arg *add_arg(void)
{
	if (num_args == MAX_ARGS)
		fail("more than %d arguments", MAX_ARGS);
	memset(&args[num_args], 0, sizeof args[0]);
	return &args[num_args++];
}

static void add_buffer(char *name)
{
	size_t size;
	cl_int status;
	void *data = read_file(name, &size);
	buffers[num_buffers++] = num_args;
	Arg *a = add_arg();
	a->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, data, &status);
	check(status, "clCreateBuffer");
	free(data);
	a->size = sizeof(cl_mem);
	a->value = &a->buffer;
	a->file = strdup(name);
}

static void add_again(int i)
{
	if (i < 0 || i >= num_buffers)
		fail("no buffer %d", i);
	Arg *from = &args[buffers[i]], *a = add_arg();
	a->size = sizeof(cl_mem);
	a->value = &from->buffer;
}

static cl_uint word(const Word *list, const char *name)
{
	for (; list->name; list++)
		if (!strcmp(list->name, name))
			return list->value;
	fail("%s: not known", name);
	return 0;
}

static void add_image(char **field)
{
	size_t size;
	cl_int status;
	void *data = read_file(field[0], &size);
	buffers[num_buffers++] = num_args;
	Arg *a = add_arg();
	cl_image_format format = {word(orders, field[2]), word(types, field[3])};
	cl_image_desc desc = {.image_type = word(dims, field[1])};
	for (int i = 0; i < 3; i++)
		a->texels[i] = strtoul(field[4 + i], NULL, 10);
	desc.image_width = a->texels[0];
	desc.image_height = a->texels[1];
	desc.image_depth = desc.image_array_size = a->texels[2];
	if (desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
		desc.image_array_size = a->texels[1];
	a->buffer = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, data, &status);
	check(status, "clCreateImage");
	free(data);
	a->size = sizeof(cl_mem);
	a->value = &a->buffer;
	a->bytes = size;
	a->file = strdup(field[0]);
}

static void add_sampler(char **field)
{
	cl_int status;
	Arg *a = add_arg();
	a->sampler = clCreateSampler(context, atoi(field[2]), word(addresses, field[1]), word(filters, field[0]), &status);
	check(status, "clCreateSampler");
	a->size = sizeof(cl_sampler);
	a->value = &a->sampler;
}

static void add_bytes(const char *hex)
{
	Arg *a = add_arg();
	a->size = strlen(hex) / 2;
	unsigned char *p = a->value = allocate(a->size);
	for (size_t i = 0; i < a->size; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &p[i]) != 1)
			fail("%s: not hexadecimal", hex);
}

static void write_back(Arg *a)
{
	size_t size = a->bytes, origin[3] = {0};
	if (!size)
		check(clGetMemObjectInfo(a->buffer, CL_MEM_SIZE, sizeof size, &size, NULL), "clGetMemObjectInfo");
	void *data = allocate(size);
	if (a->bytes)
		check(clEnqueueReadImage(queue, a->buffer, CL_TRUE, origin, a->texels, 0, 0, data, 0, NULL, NULL), "clEnqueueReadImage");
	else
		check(clEnqueueReadBuffer(queue, a->buffer, CL_TRUE, 0, size, data, 0, NULL, NULL), "clEnqueueReadBuffer");
	FILE *f = fopen(a->file, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		fail("%s: cannot be written", a->file);
	free(data);
	check(clReleaseMemObject(a->buffer), "clReleaseMemObject");
}

static void run(char **field)
{
	cl_int status;
	size_t global[3], local[3];
	cl_kernel kernel = clCreateKernel(program, field[0], &status);
	check(status, field[0]);
	for (int i = 0; i < 3; i++) {
		global[i] = strtoul(field[1 + i], NULL, 10);
		local[i] = strtoul(field[4 + i], NULL, 10);
	}
	for (int i = 0; i < num_args; i++)
		check(clSetKernelArg(kernel, i, args[i].size, args[i].value), field[0]);
	check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL), field[0]);
	check(clFinish(queue), field[0]);
	for (int i = 0; i < num_buffers; i++)
		write_back(&args[buffers[i]]);
	for (int i = 0; i < num_args; i++)
		if (args[i].sampler)
			check(clReleaseSampler(args[i].sampler), field[0]);
	check(clReleaseKernel(kernel), field[0]);
	num_args = num_buffers = 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		fail("usage: pocl JOB");
	FILE *job = fopen(argv[1], "r");
	if (!job)
		fail("%s: cannot be read", argv[1]);
	start();
	static char line[1 << 16];
	while (fgets(line, sizeof line, job)) {
		char *field[MAX_FIELDS + 1] = {0}, *rest = line;
		line[strcspn(line, "\n")] = 0;
		for (int i = 0; i < MAX_FIELDS && rest; i++)
			field[i] = strsep(&rest, "\t");
		if (!strcmp(field[0], "build") && field[2])
			build(field[1], field[2]);
		else if (!strcmp(field[0], "buffer") && field[1])
			add_buffer(field[1]);
		else if (!strcmp(field[0], "again") && field[1])
			add_again(atoi(field[1]));
		else if (!strcmp(field[0], "bytes") && field[1])
			add_bytes(field[1]);
		else if (!strcmp(field[0], "image") && field[7])
			add_image(field + 1);
		else if (!strcmp(field[0], "sampler") && field[3])
			add_sampler(field + 1);
		else if (!strcmp(field[0], "local") && field[1])
			add_arg()->size = strtoul(field[1], NULL, 10);
		else if (!strcmp(field[0], "run") && field[7])
			run(field + 1);
		else
			fail("%s: not understood", line);
	}
	return 0;
}

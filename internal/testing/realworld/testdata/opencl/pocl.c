// pocl runs OpenCL kernels on the first CPU device and writes their buffers back.
//
//   pocl JOB
//
// JOB has one command a line, with fields separated by tabs:
//
//   build   SOURCE OPTIONS               the program of the kernels that follow
//   buffer  FILE                         the next argument: a buffer with the file's bytes
//   again   I                            the next argument: the I-th buffer once more
//   bytes   HEX                          the next argument: a value
//   local   BYTES                        the next argument: local memory
//   run     KERNEL X Y Z LX LY LZ        runs the kernel and rewrites the buffers' files
//
// Arguments hold for the next run only.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 64, MAX_FIELDS = 8 };

typedef struct {
	cl_mem buffer;
	size_t size;
	void *value; // NULL: local memory
	char *file;  // of a buffer, to be rewritten
} Arg;

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
	size_t size;
	check(clGetMemObjectInfo(a->buffer, CL_MEM_SIZE, sizeof size, &size, NULL), "clGetMemObjectInfo");
	void *data = allocate(size);
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
		else if (!strcmp(field[0], "local") && field[1])
			add_arg()->size = strtoul(field[1], NULL, 10);
		else if (!strcmp(field[0], "run") && field[7])
			run(field + 1);
		else
			fail("%s: not understood", line);
	}
	return 0;
}

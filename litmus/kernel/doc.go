// Package kernel compiles litmus tests to kernels and runs them.
//
// Module returns a test as LLVM IR with one kernel, "litmus", that executes many
// instances of the test at once, each with memory of its own. Run compiles the module,
// dispatches it on a simulated GPU and counts the outcomes.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module; structs may
// gain fields. The arguments of the kernel and the mapping of threads may change.
package kernel

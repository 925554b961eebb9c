// Package litmus reads and writes litmus tests: small concurrent programs with
// a condition on their final states.
//
// A Test has variables in global memory or LDS, threads with a place (agent,
// work-group, wave) and a condition. Parse reads the text form, which
// docs/litmus.md describes, and Test.String writes it. Package litmus/model
// decides which final states the memory model of LLVM's AMDGPU backend allows,
// litmus/kernel compiles tests and runs them, and litmus/cycle generates tests.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields, and the language may gain statements.
package litmus

// Package device holds the types that the HSA runtime of package hsa exchanges
// with the devices that run its kernels: the memory that they share, the
// description of a dispatch, its statistics, its fault, and the settings of
// simulated devices.
//
// hsa.System.NewGPU creates a simulated device. A program that runs kernels on
// something else implements Device on the Memory of an hsa.System and passes it
// to hsa.System.AddAgent.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module. Later
// versions may add fields, fault kinds and checks.
package device

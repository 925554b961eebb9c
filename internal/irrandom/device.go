package irrandom

// What runs the kernels of an AMDGPU module elsewhere does it with Lanes work-items in one work-group, in wave32 or wave64, with
// Lanes*InSize bytes that Input filled and Lanes*OutSize zero bytes, and compares OutputHash with the Hash that Run gave.

// Lanes is how many work-items kernels are run with.
const Lanes = lanes

// Input fills the bytes that test functions read.
func Input(in []byte) { input(in) }

// OutputHash gives the hash of what a kernel wrote.
func OutputHash(out []byte) uint64 { return hash(0, out) }

package device

// Atomic describes what an instruction does to the order of memory accesses, as
// its compiler has recorded it.
type Atomic struct {
	Access Sync // the atomic access that the instruction implements
	Fence  Sync // the fence before it
}

// Sync describes an atomic access or a fence. The zero value is none.
type Sync struct {
	Set      bool      // the access or fence exists
	Acquires bool      // it is an acquire
	Releases bool      // it is a release
	Scope    SyncScope // the waves that it orders
}

// SyncScope is the set of waves on one level of the hierarchy.
type SyncScope uint8

// Levels of the hierarchy, from the inside out.
const (
	SyncWave    SyncScope = iota // the wave alone
	SyncGroup                    // the work-group
	SyncCluster                  // the cluster of work-groups
	SyncAgent                    // all waves of the device
)

package ir

// Intrinsic is the number of an intrinsic function.
type Intrinsic uint16

// NoIntrinsic is the number of functions that are no intrinsics.
const NoIntrinsic Intrinsic = 0

package sim

// program is the decoded code of a region.
type program struct{}

package ireval

type dispatch struct{}

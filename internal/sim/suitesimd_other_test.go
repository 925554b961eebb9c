//go:build !amd64

package sim

func setSIMD(bool) (restore func()) { return func() {} }

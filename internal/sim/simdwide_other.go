//go:build !amd64

package sim

var wideMovers [2][3]wideFunc

//go:build !amd64

package image

const hasSIMD = false

package image

import "golang.org/x/sys/cpu"

// hasSIMD reports whether the host runs the functions of plane_amd64.s.
var hasSIMD = cpu.X86.HasAVX2 && cpu.X86.HasFMA

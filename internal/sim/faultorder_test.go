package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
)

// TestLowestGroupFaults checks that the reported fault belongs to the lowest
// faulting work-group, for any number of workers and any execution order.
func TestLowestGroupFaults(t *testing.T) {
	// Groups from 3 on fault, higher groups earlier.
	const late = `
	s_sub_u32 s10, 40, s2
	s_lshl_b32 s10, s10, 9
loop:
	s_sub_u32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 loop
	s_cmp_lt_u32 s2, 3
	s_cbranch_scc1 over
	v_mov_b32_e32 v0, 0x1234
	v_mov_b32_e32 v1, s2
	global_load_dword v2, v[0:1], off
over:`
	// Group 0 waits for group 2. Groups 1 and 2 fault.
	const waiting = `
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 other
wait:
	s_sleep 1
	s_branch wait
other:
	.long 0xffffffff`
	for name, c := range map[string]struct {
		text    string
		group   uint32
		options device.Options
	}{
		"fault":   {late, 3, device.Options{}},
		"checks":  {late, 3, device.Options{Checks: device.CheckAll, Finding: func(*device.Finding) {}}},
		"waiting": {waiting, 1, device.Options{}},
		"finding": {strings.Replace(late, "global_load_dword v2, v[0:1], off", "v_cmp_eq_u32_e32 vcc, 0, v20\ns_cbranch_vccz over", 1), 3, device.Options{Checks: device.CheckInit}},
	} {
		for _, workers := range []int{1, 2, 5} {
			t.Run(fmt.Sprint(name, "/", workers), func(t *testing.T) {
				c.options.Workers, c.options.Timeout = workers, time.Minute
				for range 5 {
					r, _ := kernelTest{text: c.text, grid: [3]int{40 * 64, 1, 1}, group: [3]int{64, 1, 1}, options: c.options}.dispatch(t)
					f := r.fault()
					if f == nil || f.Group != [3]uint32{c.group} || f.Kind == device.FaultTimeout {
						t.Fatalf("%v, want a fault of group %d", r.err, c.group)
					}
				}
			})
		}
	}
}

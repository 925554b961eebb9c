package sim

import "unsafe"

// runGDS runs an instruction on GDS, which all work-groups of the dispatch share.
// From gfx11 on only the first lane that is on takes part.
func runGDS(w *wave, o *op) {
	l := w.group.launch
	l.gdsMu.Lock()
	defer l.gdsMu.Unlock()
	exec := w.exec()
	if o.ds.single && exec&(exec-1) != 0 {
		w.setMask(sExec, exec&-exec)
		defer w.setMask(sExec, exec)
	}
	o.ds.run(w, o)
}

// globalShare gives the part of GDS that M0 names: its base in the high half, its
// size in the low one.
func (w *wave) globalShare() (p unsafe.Pointer, size uint32) {
	gds := w.group.launch.gds
	base := w.m0() >> 16
	size = min(w.m0()&0xffff, uint32(len(gds))-base)
	return unsafe.Pointer(&gds[base]), size
}

package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// The common image instructions on the common images: linear two-dimensional
// ones with one level. image.Plane converts and filters for all lanes at once;
// checks need the other functions.

// unbindPlane lets go of the image's memory.
func (st *imageState) unbindPlane() { st.plane.Words = nil }

// bindPlane prepares the plane of the instruction's image. It returns false if
// the instruction needs more.
func (st *imageState) bindPlane(x *imageOp) bool {
	if x.shape.Raw || x.shape.Mip || x.shape.Compare || x.shape.Offset {
		return false
	}
	st.plane = &st.planes[bit(x.shape.Kind == isa.ImageSample)]
	st.plane.SIMD = lanes.HasSIMD && plainStores
	dims, layer, sample := x.shapeOf(st.tex.View)
	return dims == 2 && !layer && !sample && st.tex.BindPlane(st.plane)
}

func (st *imageState) loadPlane(x *imageOp, exec uint64) {
	in := st.plane.Locate(&st.coord[0], &st.coord[1], exec, st.w.lanes, &st.at)
	if st.isDirect(x, in) {
		st.moveDirect(&st.w.v[x.data], 0)
		return
	}
	st.readElements(in)
	st.plane.Unpack(&st.memory, &st.rows, exec, in, st.w.lanes)
	st.putRows(x, exec)
}

func (st *imageState) samplePlane(x *imageOp, exec uint64) {
	rows := &st.rows
	direct := st.whole(x, exec)
	if direct {
		rows = (*image.Rows)(unsafe.Pointer(&st.w.v[x.data]))
	}
	st.plane.Sample(&st.point[0], &st.point[1], exec, st.w.lanes, rows)
	if !direct {
		st.putRows(x, exec)
	}
}

func (st *imageState) storePlane(x *imageOp, exec uint64) {
	in := st.plane.Locate(&st.coord[0], &st.coord[1], exec, st.w.lanes, &st.at)
	if st.isDirect(x, in) {
		st.moveDirect(&st.w.v[x.data], 1)
		return
	}
	st.takeRows(x)
	st.plane.Pack(&st.rows, &st.memory, in, st.w.lanes)
	st.writeElements(in)
}

// isDirect reports whether all lanes load or store elements of 8 or 16 bytes that
// are the same in registers.
func (st *imageState) isDirect(x *imageOp, in uint64) bool {
	p := st.plane
	return p.SIMD && in == st.w.all && p.Step&7 == 0 && !x.d16 && !x.tfe && p.Direct(x.dmask)
}

// whole reports whether the registers of an instruction's data are the rows of
// its result.
func (st *imageState) whole(x *imageOp, exec uint64) bool {
	return exec == ^uint64(0) && x.dmask == 15 && !x.d16 && !x.tfe
}

// moveDirect loads (0) or stores (1) elements of 8 or 16 bytes in all lanes.
func (st *imageState) moveDirect(d *uint32, direction int) {
	limit, host := st.memoryOfPlane()
	lanes.WideMoves[direction][st.plane.Step/8](d, st.offsets(), &zeros[0], st.w.lanes, 0, limit, host)
}

// memoryOfPlane returns the plane's memory and the last offset of an element.
func (st *imageState) memoryOfPlane() (limit uint64, host unsafe.Pointer) {
	p := st.plane
	return uint64(len(p.Words))*4 - uint64(p.Step), unsafe.Pointer(unsafe.SliceData(p.Words))
}

// offsets returns the offsets of the lanes' elements.
func (st *imageState) offsets() *uint32 { return (*uint32)(unsafe.Pointer(&st.at[0])) }

// readElements reads the elements of lanes from memory.
func (st *imageState) readElements(in uint64) {
	p, m := st.plane, &st.memory
	limit, host := st.memoryOfPlane()
	if p.Step == 4 && p.SIMD {
		lanes.Gather(&m[0][0], st.offsets(), &zeros[0], in, st.w.lanes, 0, limit, host)
		return
	}
	for ; in != 0; in &= in - 1 {
		l := bits.TrailingZeros64(in) & 63
		at := unsafe.Add(host, st.at[l])
		switch p.Step {
		case 1:
			m[0][l] = load8(at)
		case 2:
			m[0][l] = load16(at)
		default:
			for i := range int(p.Step) / 4 {
				m[i&3][l] = load32(unsafe.Add(at, 4*i))
			}
		}
	}
}

// writeElements writes the elements of lanes to memory.
func (st *imageState) writeElements(in uint64) {
	p, m := st.plane, &st.memory
	limit, host := st.memoryOfPlane()
	if p.Step == 4 && p.SIMD {
		lanes.Scatter(&m[0][0], st.offsets(), &zeros[0], in, st.w.lanes, 0, limit, host)
		return
	}
	for ; in != 0; in &= in - 1 {
		l := bits.TrailingZeros64(in) & 63
		at := unsafe.Add(host, st.at[l])
		switch p.Step {
		case 1:
			store8(at, m[0][l])
		case 2:
			store16(at, m[0][l])
		default:
			for i := range int(p.Step) / 4 {
				store32(unsafe.Add(at, 4*i), m[i&3][l])
			}
		}
	}
}

// putRows writes the components that DMASK selects to the registers of the lanes
// of exec.
func (st *imageState) putRows(x *imageOp, exec uint64) {
	w := st.w
	d := w.v[x.data:]
	n := 0
	for i := range st.rows {
		if x.dmask>>i&1 == 0 {
			continue
		}
		if x.d16 {
			for rest := exec; rest != 0; rest &= rest - 1 {
				l := bits.TrailingZeros64(rest) & 63
				st.putOne(x, d, l, n, st.rows[i][l])
			}
		} else {
			lanes.Merge(&d[n*w.lanes], &st.rows[i][0], exec, 0, 0, w.lanes)
		}
		n++
	}
	if x.tfe {
		for ; exec != 0; exec &= exec - 1 {
			st.status(x, bits.TrailingZeros64(exec)&63)
		}
	}
}

// takeRows sets st.rows to the components of the instruction's data.
func (st *imageState) takeRows(x *imageOp) {
	w := st.w
	if x.d16 {
		for l := range w.lanes {
			st.takeTexel(x, l)
			for i, v := range st.texel {
				st.rows[i][l] = v
			}
		}
		return
	}
	d, n := w.v[x.data:], 0
	for i := range st.rows {
		row := st.rows[i][:w.lanes]
		switch {
		case x.dmask>>i&1 != 0:
			copy(row, d[n*w.lanes:])
			n++
		case x.broadcast:
			copy(row, d) // the first component
		default:
			clear(row)
		}
	}
}

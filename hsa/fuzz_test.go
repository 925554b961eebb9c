package hsa

import (
	"context"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// FuzzLoad checks that no input crashes the loader or exhausts memory, and that
// a failed load leaves no allocation.
func FuzzLoad(f *testing.F) {
	for _, cov := range []int{4, 5} {
		data := build(f, "gfx900", source(f, "kernel.s"), cov)
		f.Add(data)
		f.Add(oracle.StripSections(data))
	}
	f.Add(build(f, "gfx900", ".globl f\nf: s_endpgm\n", 6))
	v2 := build(f, "gfx803", source(f, "kernelv2.s"), 2)
	f.Add(v2)
	f.Add(oracle.StripSections(v2))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewSystem(Options{MemoryLimit: 1 << 20})
		defer s.Shutdown()
		for _, id := range []string{"gfx900", "gfx803"} {
			tg, _ := target.New("", id, "")
			a, err := s.AddAgent(tg, fakeDevice(nil))
			if err != nil {
				t.Fatal(err)
			}
			e, err := a.Load(data, "fuzz")
			if err != nil {
				if StatusOf(err) == StatusSuccess {
					t.Errorf("error %v without a status", err)
				}
				continue
			}
			_ = e.Validate()
			for _, sym := range e.Symbols(a) {
				s.mem.Find(e.LoadedCodeObjects()[0].Base).Symbol(sym.Address)
				if sym.Kernel != nil {
					if args, err := sym.Kernel.NewArgs(); err == nil {
						args.Encode(&Queue{object: &device.Region{}}, &Grid{Size: [3]uint32{1}})
					}
				}
			}
			if err := e.Destroy(); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzPackets checks that the packet processor neither crashes nor hangs on
// arbitrary ring contents, and that the queue can be destroyed.
func FuzzPackets(f *testing.F) {
	f.Add([]byte{2, 0, 1, 0, 64, 0, 1, 0, 1}, uint64(1), true)
	f.Add([]byte{3, 1}, uint64(9), false)
	f.Add([]byte{5, 0, 0, 0, 0, 0, 0, 0, 1}, uint64(1)<<63, true)
	f.Add([]byte{0, 0, 2}, ^uint64(0), false)
	f.Add([]byte{4, 0, 1, 0x80}, uint64(3), true)
	f.Fuzz(func(t *testing.T, bytes []byte, ring uint64, real bool) {
		s, a := testSystem(t, "gfx900", nil)
		k := testKernel(t, a)
		q := newQueue(t, a, QueueOptions{Size: 4, AgentDispatch: func(context.Context, *AgentDispatchPacket) (uint64, error) { return 1, nil }})
		sig := newSignal(t, s, 1)
		for i := range uint64(4) {
			var b [packetSize]byte
			if at := int(i) * packetSize; at < len(bytes) {
				copy(b[:], bytes[at:])
			}
			if real { // fields that random bytes would almost never match
				p := dispatchPacket(k, sig)
				full := encode(p)
				copy(b[32:40], full[32:40])
				copy(b[56:], full[56:])
			}
			copy(q.ringBuf[i*packetSize+4:(i+1)*packetSize], b[4:])
			*q.header(i) = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		}
		q.StoreWriteIndex(ring, Relaxed)
		q.Doorbell().Store(int64(ring), Screlease)
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_, _ = sig.Wait(ctx, ConditionLT, 1)
		q.Destroy()
	})
}

// FuzzRun checks that the kernels of arbitrary code objects end, fault or are
// stopped.
func FuzzRun(f *testing.F) {
	ids := []string{"gfx900", "gfx803", "gfx90a", "gfx1030", "gfx1100"}
	for i, id := range ids {
		tg, err := target.New("", id, "")
		if err != nil {
			f.Fatal(err)
		}
		a := &Agent{t: tg}
		for _, k := range []simKernel{{args: "pointer", text: loadArg + "flat_store_dword v[2:3], v0"}, {args: "pointer pointer", text: enqueueText}, {lds: 64, private: 64, text: "s_barrier"}} {
			f.Add(uint8(i), build(f, id, k.source(a), 0))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		s := NewSystem(Options{MemoryLimit: 64 << 20, Simulator: device.Options{Workers: 1, Timeout: 20 * time.Millisecond}})
		defer s.Shutdown()
		tg, _ := target.New("", ids[int(which)%len(ids)], "")
		a, err := s.NewGPU(tg)
		if err != nil {
			t.Fatal(err)
		}
		e, err := a.Load(data, "fuzz")
		if err != nil {
			return
		}
		for i, sym := range e.Symbols(a) {
			if sym.Kernel == nil || i > 10 {
				continue
			}
			q := newQueue(t, a, QueueOptions{Size: 4})
			info := sym.Kernel.Info()
			g := Grid{Size: [3]uint32{64}, Group: [3]uint16{64}, Private: info.PrivateSegmentSize}
			if _, err := q.Dispatch(ctxOf(t), sym.Kernel, g, make(Kernarg, min(info.KernargSegmentSize, 1<<16))); err != nil {
				if s := StatusOf(err); s == StatusErrorFatal || s == StatusSuccess {
					t.Errorf("%v", err)
				}
			}
			q.Destroy()
		}
	})
}

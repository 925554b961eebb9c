package hsa

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// enqueueText is a kernel that copies the packet in its second argument to the
// queue in its first argument and rings the doorbell, like the device library.
const enqueueText = `
	s_load_dwordx4 s[12:15], s[4:5], 0x0     // queue and packet
	s_mov_b64 exec, 1
	v_mov_b32_e32 v4, 1
	v_mov_b32_e32 v5, 0
	wait
	s_load_dwordx2 s[10:11], s[12:13], 0x8   // ring
	s_load_dwordx2 s[16:17], s[12:13], 0x10  // doorbell signal
	s_load_dword s18, s[12:13], 0x18         // size
	s_load_dwordx16 s[20:35], s[14:15], 0x0
	s_add_u32 s36, s12, 0x38                 // write index
	s_addc_u32 s37, s13, 0
	vaddr 2, 3, 36, 37
	flat_atomic_add_x2 v[6:7], v[2:3], v[4:5] RETURN
	wait
	v_readfirstlane_b32 s38, v6              // the packet's index
	s_sub_u32 s18, s18, 1
	s_and_b32 s18, s18, s38
	s_lshl_b32 s18, s18, 6
	s_add_u32 s10, s10, s18
	s_addc_u32 s11, s11, 0
	s_add_u32 s40, s10, 4
	s_addc_u32 s41, s11, 0
	.irp n, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35
	put 40, 41, \n
	.endr
	wait
	put 10, 11, 20                           // the header last
	wait
	s_load_dwordx4 s[40:43], s[16:17], 0x0   // kind and doorbell
	wait
	s_cmp_eq_u32 s40, -2                     // legacy?
	s_cbranch_scc1 legacy
	vaddr 2, 3, 42, 43
	flat_store_dwordx2 v[2:3], v[6:7]
	s_branch over
legacy:
	s_add_u32 s40, s12, 80                   // legacy_doorbell_dispatch_id_plus_1
	s_addc_u32 s41, s13, 0
	s_add_u32 s38, s38, 1
	put 40, 41, 38
over:
	wait
`

// TestDeviceEnqueue checks that kernels can write packets to another queue,
// more of them than work-groups run concurrently. The host waits for the
// packets' signal.
func TestDeviceEnqueue(t *testing.T) {
	child := simKernel{args: "pointer", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x0
		v_mov_b32_e32 v1, 1
		wait
		vaddr 2, 3, 10, 11
		flat_atomic_add v[2:3], v1`}
	parent := simKernel{args: "pointer pointer", text: enqueueText}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		const groups = 20
		q, other := newQueue(t, a, QueueOptions{}), newQueue(t, a, QueueOptions{Size: 64})
		counter, args, packet, done := fineBuffer(t, s, 4), fineBuffer(t, s, 8), fineBuffer(t, s, 64), newSignal(t, s, groups)
		Slice[uint64](args)[0] = counter.Addr()
		p := dispatchPacket(child.load(t, a), done)
		p.KernargAddress = args.Addr()
		b := encode(p)
		copy(packet.Bytes(), b[:])
		if _, err := q.Dispatch(ctxOf(t), parent.load(t, a), Grid{Size: [3]uint32{groups * 32}, Group: [3]uint16{32}}, other, packet); err != nil {
			t.Fatal(err)
		}
		if _, err := done.Wait(ctxOf(t), ConditionLT, 1); err != nil {
			t.Fatal(err)
		}
		if n := Slice[uint32](counter)[0]; n != groups*100 {
			t.Errorf("%d work-items ran", n)
		}
	})
}

// TestDeviceAgentDispatch checks a kernel that sends a request to the host's
// queue and continues after the reply.
func TestDeviceAgentDispatch(t *testing.T) {
	k := simKernel{args: "pointer pointer pointer", text: enqueueText + `
		s_load_dwordx2 s[44:45], s[14:15], 0x38  // completion signal
		s_load_dwordx2 s[46:47], s[14:15], 0x8   // return address
		s_load_dwordx2 s[48:49], s[4:5], 0x10    // out
		wait
		s_add_u32 s44, s44, 8
		s_addc_u32 s45, s45, 0
		vaddr 2, 3, 44, 45
	again:
		s_sleep 1
		flat_load_dword v4, v[2:3] RETURN
		wait
		v_readfirstlane_b32 s50, v4
		s_cmp_lg_u32 s50, 0
		s_cbranch_scc1 again
		vaddr 2, 3, 46, 47
		flat_load_dword v4, v[2:3] RETURN
		wait
		v_readfirstlane_b32 s50, v4
		s_add_u32 s50, s50, 1
		put 48, 49, 50`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		host := newQueue(t, s.Host(), QueueOptions{AgentDispatch: func(_ context.Context, p *AgentDispatchPacket) (uint64, error) {
			return p.Arg[0] * p.Arg[1], nil
		}})
		packet, answer, out, done := fineBuffer(t, s, 64), fineBuffer(t, s, 8), fineBuffer(t, s, 4), newSignal(t, s, 1)
		b := encode(&AgentDispatchPacket{Header: Header(PacketAgentDispatch, false, 0, 0), Type: 0x8000, ReturnAddress: answer.Addr(), Arg: [4]uint64{6, 7}, CompletionSignal: done.Handle()})
		copy(packet.Bytes(), b[:])
		k.must(t, a, oneGroup(32), host, packet, out)
		if v := Slice[uint32](out)[0]; v != 43 {
			t.Errorf("answer %d", v)
		}
	})
}

// TestMessages checks that the host and a running kernel exchange messages
// through fine-grained memory.
func TestMessages(t *testing.T) {
	k := simKernel{args: "pointer", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x0
		s_mov_b64 exec, 1
		s_mov_b32 s12, 1
		wait
		vaddr 2, 3, 10, 11
	again:                                  // wait for 2*n - 1, answer 2*n
		flat_load_dword v4, v[2:3] RETURN
		wait
		v_readfirstlane_b32 s13, v4
		s_cmp_lg_u32 s13, s12
		s_cbranch_scc1 again
		s_add_u32 s13, s13, 1
		v_mov_b32_e32 v4, s13
		flat_store_dword v[2:3], v4
		s_add_u32 s12, s12, 2
		s_cmp_lt_u32 s12, 200
		s_cbranch_scc1 again`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		box, q, kernel := fineBuffer(t, s, 4), newQueue(t, a, QueueOptions{}), k.load(t, a)
		args, err := kernel.NewArgs(box)
		if err != nil {
			t.Fatal(err)
		}
		d, err := q.Enqueue(ctxOf(t), kernel, oneGroup(1), args)
		if err != nil {
			t.Fatal(err)
		}
		word := &Slice[uint32](box)[0]
		for n := uint32(1); n < 200; n += 2 {
			atomic.StoreUint32(word, n)
			for begin := time.Now(); atomic.LoadUint32(word) != n+1; runtime.Gosched() {
				if time.Since(begin) > 20*time.Second {
					t.Fatalf("no answer to %d", n)
				}
			}
		}
		if _, err := d.Wait(ctxOf(t)); err != nil {
			t.Error(err)
		}
	})
}

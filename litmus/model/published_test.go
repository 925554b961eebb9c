package model_test

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// Sources of published verdicts. Dat3M (github.com/hernanponcedeleon/Dat3M) has the
// tests as files below litmus, with the verdicts of dartagnan in
// dartagnan/src/test/resources: OPENCL-expected.csv (whether the condition is
// reachable), OPENCL-DR-expected.csv (whether the program is free of races) and
// RC11-expected.csv (whether the condition is reachable under RC11).
const (
	// popl16 is Batty, Donaldson, Wickerson: Overhauling SC Atomics in C11 and OpenCL,
	// POPL 2016, with tests at multicore.doc.ic.ac.uk/overhauling.
	popl16 = "Overhauling SC Atomics, "
	// herd is the OpenCL test suite of herd (github.com/herd/legacy,
	// herdtools/herd/testsuite/OpenCLTests).
	herd = "herd OpenCLTests/"
	// imm is Podkopaev, Lahav, Vafeiadis: Bridging the Gap between Programming Languages
	// and Hardware Weak Memory Models, POPL 2019.
	imm = "Bridging the Gap, "
	// mapping is Manerkar, Trippel, Lustig, Pellauer, Martonosi: Counterexamples and Proof
	// Loophole for the C/C++ to POWER and ARMv7 Trailing-Sync Compiler Mappings.
	mapping = "Counterexamples and Proof Loophole, "
	// c11 is the collection of Vafeiadis, Balabonski, Chakraborty, Morisset, Zappa Nardelli:
	// Common Compiler Optimisations are Invalid in the C11 Memory Model, POPL 2015.
	c11 = "Common Compiler Optimisations are Invalid, "
)

// Published verdicts on the condition of a test.
const (
	allowed   = litmus.Holds
	forbidden = litmus.Fails
	racy      = litmus.Racy
)

// published lists tests with published verdicts. OpenCL's atomic operations order
// one address space, so that tests with local variables use one-as scopes, as clang
// does; memory_scope_device is agent. The last column is the test in the language of
// this module, without its name.
var published = []struct {
	source, file string
	verdict      litmus.Verdict
	text         string
}{
	{herd + "2+2W/2+2W_xaG_yaG_sc--sc_sc--sc_0||1", "OPENCL/herd/2+2W", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 2 seq_cst agent  store y, 1 seq_cst agent }
thread P1 group 1 { store y, 2 seq_cst agent  store x, 1 seq_cst agent }
exists x == 1 && y == 0`},
	{herd + "3.2W/3.2W_xaG_yaG_zaG_sc--sc_rel[wg]-LFsc-rel_rel-GFrel[dev]-acq[wg]_0||1|2", "OPENCL/herd/3.2W", racy, `global x = 0 global y = 0 global z = 0
thread P0 group 0 { store x, 2 seq_cst agent  store y, 1 seq_cst agent }
thread P1 group 1 wave 0 { store y, 2 release workgroup  fence seq_cst workgroup-one-as  store z, 1 release agent }
thread P2 group 1 wave 1 { store z, 2 release agent  fence release agent-one-as  store x, 1 release workgroup }
exists x == 2 && y == 2 && z == 2`},
	{herd + "3LB/3LB_xaG_yaG_zaG_sc--sc_na--sc_sc--sc_0|1||2", "OPENCL/herd/3LB", forbidden, `global x = 0 global y = 0 global z = 0
thread P0 group 0 wave 0 { r0 = load x seq_cst agent  store y, 1 seq_cst agent }
thread P1 group 0 wave 1 { r1 = load y seq_cst agent  store z, 1 seq_cst agent }
thread P2 group 1 { r2 = load z seq_cst agent  store x, 1 seq_cst agent }
exists P0.r0 == 1 && P1.r1 == 1 && P2.r2 == 1`},
	{herd + "CT_wsq/CT_wsq1", "OPENCL/herd/CT_wsq1", forbidden, `global tail = 0 global head = 0 global d = 0 global val = 0
thread P0 wave 0 { t = load tail acquire agent  store d, 1  store tail, 1 release agent }
thread P1 wave 1 { h = load head acquire agent  t = load tail acquire agent  if t == 1 { v = load d store val, v } }
exists P1.t == 1 && val == 0`},
	{herd + "IRIW/IRIW_sc_sc_sc-sc_sc-sc_xaG_yaG_P0_P1_P2_P3", "OPENCL/herd/IRIW", forbidden, `global x = 0 global y = 0
thread P0 wave 0 { store x, 1 seq_cst agent }
thread P1 wave 1 { store y, 1 seq_cst agent }
thread P2 wave 2 { r0 = load x seq_cst agent  r1 = load y seq_cst agent }
thread P3 wave 3 { r2 = load y seq_cst agent  r3 = load x seq_cst agent }
exists P2.r0 == 1 && P2.r1 == 0 && P3.r2 == 1 && P3.r3 == 0`},
	{herd + "ISA2/ISA2", "OPENCL/herd/ISA2", racy, `global x = 0 global y = 0 global z = 0
thread P0 group 0 { store x, 1  store y, 1 }
thread P1 group 1 { r0 = load y  store z, 1 }
thread P2 group 2 { r1 = load z  r2 = load x }
exists P1.r0 == 1 && P2.r1 == 1 && P2.r2 == 0`},
	{herd + "ISA2/ISA2_sc-sc_sc-sc_sc-sc_xaG_yaG_zaG_P0_P1_P2", "OPENCL/herd/ISA3", forbidden, `global x = 0 global y = 0 global z = 0
thread P0 wave 0 { store x, 1 seq_cst agent  store y, 1 seq_cst agent }
thread P1 wave 1 { r0 = load y seq_cst agent  store z, 1 seq_cst agent }
thread P2 wave 2 { r1 = load z seq_cst agent  r2 = load x seq_cst agent }
exists P1.r0 == 1 && P2.r1 == 1 && P2.r2 == 0`},
	{herd + "LB/LB", "OPENCL/herd/LB", racy, `global x = 0 global y = 0
thread P0 group 0 { r0 = load x  store y, 1 }
thread P1 group 1 { r1 = load y  store x, 1 }
exists P0.r0 == 1 && P1.r1 == 1`},
	{herd + "MP/MP_rlx_1FG-sc-all_rlx_xaG_yaG_P0_P1", "OPENCL/herd/MP", racy, `global x = 0 global y = 0
thread P0 wave 0 { store x, 1  fence seq_cst one-as  store y, 1 monotonic agent }
thread P1 wave 1 { r0 = load y monotonic agent  r1 = load x }
exists P1.r0 == 1 && P1.r1 == 0`},
	{herd + "R/R_xaG_yaG_sc--sc_sc--sc_0||1", "OPENCL/herd/R", allowed, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent  store y, 1 seq_cst agent }
thread P1 group 1 { store y, 2 seq_cst agent  r0 = load x seq_cst agent }
exists P1.r0 == 0`},
	{herd + "RWC/RWC_xaG_yaG_sc-_rel[wg]-LFsc-rel_rel-GFrel[dev]-acq[wg]_0||1|2", "OPENCL/herd/RWC", racy, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent }
thread P1 group 1 wave 0 { r0 = load x acquire workgroup  fence seq_cst workgroup-one-as  r1 = load y acquire agent }
thread P2 group 1 wave 1 { store y, 1 release agent  fence release agent-one-as  r2 = load x acquire workgroup }
exists P1.r0 == 1 && P1.r1 == 0 && P2.r2 == 0`},
	{herd + "S/S_xaG_yaG_rel[wg]-LFsc-rel_rel-GFrel[dev]-acq[wg]_0||1", "OPENCL/herd/S", racy, `global x = 0 global y = 0
thread P0 group 0 { store x, 2 release workgroup  fence seq_cst workgroup-one-as  store y, 1 release agent }
thread P1 group 1 { r0 = load y acquire agent  fence release agent-one-as  store x, 1 release workgroup }
exists P1.r0 == 1`},
	{herd + "SB/SB", "OPENCL/herd/SB", racy, `global x = 0 global y = 0
thread P0 group 0 { store x, 1  r0 = load y }
thread P1 group 1 { store y, 1  r1 = load x }
exists P0.r0 == 0 && P1.r1 == 0`},
	{herd + "SB/SB_xaG_yaG_rel[wg]-LFsc-rel_rel-GFrel[dev]-acq[wg]_0||1", "OPENCL/herd/SB1", racy, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 release workgroup  fence seq_cst workgroup-one-as  r0 = load y acquire agent }
thread P1 group 1 { store y, 1 release agent  fence release agent-one-as  r1 = load x acquire workgroup }
exists P0.r0 == 0 && P1.r1 == 0`},
	{herd + "WRC/WRC_xaG_yaG_sc-_rel[wg]-LFsc-rel_rel-GFrel[dev]-acq[wg]_0||1|2", "OPENCL/herd/WRC", racy, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent }
thread P1 group 1 wave 0 { r0 = load x acquire workgroup  fence seq_cst workgroup-one-as  store y, 1 release agent }
thread P2 group 1 wave 1 { r1 = load y acquire agent  fence release agent-one-as  r2 = load x acquire workgroup }
exists P1.r0 == 1 && P2.r1 == 1 && P2.r2 == 0`},
	{herd + "global_barrier", "OPENCL/herd/global_barrier", racy, `global f0 = 0 global f1 = 0 global t = 0
thread P0 group 0 wave 0 { BARRIER store f0, 1 release agent  r2 = load f0 acquire agent  BARRIER }
thread P1 group 0 wave 1 { store t, 1  BARRIER BARRIER }
thread P2 group 1 wave 0 { r0 = load f0 acquire agent  BARRIER store f0, 0 release agent }
thread P3 group 1 wave 1 { r1 = load f1 acquire agent  BARRIER store f1, 0 release agent }
thread P4 group 2 wave 0 { BARRIER store f1, 1 release agent  r4 = load f1 acquire agent  BARRIER }
thread P5 group 2 wave 1 { BARRIER BARRIER r5 = load t }
exists P2.r0 == 1 && P3.r1 == 1 && P0.r2 == 0 && P4.r4 == 0`},
	{herd + "global_barrier_mo", "OPENCL/herd/global_barrier_mo", allowed, `global f0 = 0 global f1 = 0 global g0 = 0 global g1 = 0
thread P0 group 0 wave 0 { BARRIER store f0, 1 release agent  r2 = load g0 acquire agent  BARRIER }
thread P1 group 0 wave 1 { BARRIER BARRIER }
thread P2 group 1 wave 0 { r0 = load f0 acquire agent  BARRIER store g0, 1 release agent }
thread P3 group 1 wave 1 { r1 = load f1 acquire agent  BARRIER store g1, 1 release agent }
thread P4 group 2 wave 0 { BARRIER store f1, 1 release agent  r4 = load g1 acquire agent  BARRIER }
thread P5 group 2 wave 1 { BARRIER BARRIER }
exists P2.r0 == 1 && P3.r1 == 1 && P0.r2 == 1 && P4.r4 == 1`},

	{popl16 + "example 4", "OPENCL/overhauling/example4", forbidden, `global x = 0 global y = 0
thread P0 wave 0 { store x, 42  store y, 1 release workgroup }
thread P1 wave 1 { r = -1  f = load y acquire workgroup  if f == 1 { r = load x } }
exists P1.r == 0`},
	{popl16 + "example 5", "OPENCL/overhauling/example5", racy, `global x = 0 local y = 0
thread P0 wave 0 { store x, 42  store y, 1 release workgroup-one-as }
thread P1 wave 1 { r = -1  f = load y acquire workgroup-one-as  if f == 1 { r = load x } }
exists P1.r == 0`},
	{popl16 + "example 6", "OPENCL/overhauling/example6", forbidden, `global x = 0 local y = 0
thread P0 wave 0 { store x, 42  fence release workgroup  store y, 1 monotonic workgroup-one-as }
thread P1 wave 1 { r = -1  f = load y monotonic workgroup-one-as  if f == 1 { fence acquire workgroup  r = load x } }
exists P1.r == 0`},
	{popl16 + "example 7, plain accesses", "OPENCL/overhauling/example7a", forbidden, `global x = 0 global y = 0
thread P0 wave 0 { r = load x  if r == 1 { store y, 1 } }
thread P1 wave 1 { r = load y  if r == 1 { store x, 1 } }
exists x == 1 && y == 1`},
	{popl16 + "example 8", "OPENCL/overhauling/example8", racy, `global x = 0 local y = 0
thread P0 wave 0 { store x, 42  store y, 1 release agent-one-as }
thread P1 wave 1 { r = -1  f = load y acquire workgroup-one-as  if f == 1 { r = load x } }
exists P1.r == 0`},
	{popl16 + "example 9 a", "OPENCL/overhauling/example9a", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent  r0 = load y seq_cst agent }
thread P1 group 1 { store y, 1 seq_cst agent  r1 = load x seq_cst agent }
exists P0.r0 == 0 && P1.r1 == 0`},
	{popl16 + "example 10", "OPENCL/overhauling/example10", allowed, `global x = 0 global y = 0 global z1 = 0 global z2 = 0
thread P0 agent 0 wave 0 { store x, 1 seq_cst agent  store z1, 1 release system }
thread P1 agent 0 wave 1 { r = -1  f = load z2 acquire system  if f == 1 { r = load x seq_cst agent } }
thread P2 agent 1 wave 0 { store y, 1 seq_cst agent  store z2, 1 release system }
thread P3 agent 1 wave 1 { r = -1  f = load z1 acquire system  if f == 1 { r = load y seq_cst agent } }
exists P1.r == 0 && P3.r == 0`},
	{popl16 + "example 9 b", "OPENCL/overhauling/example9b", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent-one-as  r0 = load y seq_cst agent-one-as }
thread P1 group 1 { store y, 1 seq_cst agent-one-as  r1 = load x seq_cst agent-one-as }
exists P0.r0 == 0 && P1.r1 == 0`},
	{popl16 + "IRIW_sc_dev", "OPENCL/overhauling/IRIW_sc_dev", forbidden, `global x = 0 global y = 0
thread P0 wave 0 { store x, 1 seq_cst agent-one-as }
thread P1 wave 1 { store y, 1 seq_cst agent-one-as }
thread P2 wave 2 { r0 = load x seq_cst agent-one-as  r1 = load y seq_cst agent-one-as }
thread P3 wave 3 { r2 = load y seq_cst agent-one-as  r3 = load x seq_cst agent-one-as }
exists P2.r0 == 1 && P2.r1 == 0 && P3.r2 == 1 && P3.r3 == 0`},
	{popl16 + "IRIW_sc_wg", "OPENCL/overhauling/IRIW_sc_wg", forbidden, `global x = 0 global y = 0
thread P0 wave 0 { store x, 1 seq_cst workgroup }
thread P1 wave 1 { store y, 1 seq_cst workgroup }
thread P2 wave 2 { r0 = load x seq_cst workgroup  r1 = load y seq_cst workgroup }
thread P3 wave 3 { r2 = load y seq_cst workgroup  r3 = load x seq_cst workgroup }
exists P2.r0 == 1 && P2.r1 == 0 && P3.r2 == 1 && P3.r3 == 0`},
	{popl16 + "ISA2", "OPENCL/overhauling/ISA2", forbidden, `global x = 0 global y = 0 global z = 0
thread P0 group 0 wave 0 { store x, 1  store y, 1 release workgroup }
thread P1 group 0 wave 1 { r0 = load y acquire workgroup  if 1 == r0 { store z, 1 release agent } }
thread P2 group 1 { r1 = load z acquire agent  r2 = -1  if 1 == r1 { r2 = load x } }
exists P1.r0 == 1 && P2.r1 == 1 && P2.r2 == 0`},
	{popl16 + "ISA2_broken", "OPENCL/overhauling/ISA2_broken", racy, `global x = 0 local y = 0 global z = 0
thread P0 group 0 wave 0 { store x, 1  store y, 1 release workgroup-one-as }
thread P1 group 0 wave 1 { r0 = load y acquire workgroup-one-as  if 1 == r0 { store z, 1 release agent-one-as } }
thread P2 group 1 { r1 = load z acquire agent-one-as  r2 = -1  if 1 == r1 { r2 = load x } }
exists P1.r0 == 1 && P2.r1 == 1 && P2.r2 == 0`},
	{popl16 + "MP_ra_dev", "OPENCL/overhauling/MP_ra_dev", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 release agent }
thread P1 group 1 { r0 = load y acquire agent  r1 = -1  if 1 == r0 { r1 = load x } }
exists P1.r0 == 1 && P1.r1 == 0`},
	{popl16 + "MP_ra_dev_broken", "OPENCL/overhauling/MP_ra_dev_broken", racy, `global x = 0 global y = 0
thread P0 agent 0 { store x, 1  store y, 1 release agent }
thread P1 agent 1 { r0 = load y acquire agent  r1 = -1  if 1 == r0 { r1 = load x } }
exists P1.r0 == 1 && P1.r1 == 0`},
	{popl16 + "MP_ra_wg", "OPENCL/overhauling/MP_ra_wg", racy, `global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 release workgroup }
thread P1 group 1 { r0 = load y acquire workgroup  r1 = -1  if 1 == r0 { r1 = load x } }
exists P1.r0 == 1 && P1.r1 == 0`},

	{popl16 + "example 1", "C11/manual/example1", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 monotonic system }
thread P1 group 1 { r1 = load x monotonic system  r2 = load x monotonic system }
thread P2 group 2 { store x, 2 seq_cst system  r3 = load y seq_cst system }
thread P3 group 3 { store y, 1 seq_cst system  r4 = load x seq_cst system }
exists P1.r1 == 1 && P1.r2 == 2 && P2.r3 == 0 && P3.r4 == 1`},
	{popl16 + "mp_fences", "C11/manual/mp_fences", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 1  fence release system  store y, 1 monotonic system }
thread P1 group 1 { r0 = load y monotonic system  fence acquire system  r1 = -1  if 1 == r0 { r1 = load x } }
exists P1.r0 == 1 && P1.r1 == 0`},
	{popl16 + "mp_relaxed", "C11/manual/mp_relaxed", racy, `global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 monotonic system }
thread P1 group 1 { r0 = load y monotonic system  r1 = -1  if 1 == r0 { r1 = load x } }
exists P1.r0 == 1 && P1.r1 == 0`},
	{popl16 + "iriw_sc", "C11/manual/iriw_sc", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst system }
thread P1 group 1 { store y, 1 seq_cst system }
thread P2 group 2 { r1 = load x seq_cst system  r2 = load y seq_cst system }
thread P3 group 3 { r3 = load y seq_cst system  r4 = load x seq_cst system }
exists P2.r1 == 1 && P2.r2 == 0 && P3.r3 == 1 && P3.r4 == 0`},
	{popl16 + "cppmem_iriw_relacq", "C11/manual/cppmem_iriw_relacq", allowed, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 release system }
thread P1 group 1 { store y, 1 release system }
thread P2 group 2 { r1 = load x acquire system  r2 = load y acquire system }
thread P3 group 3 { r3 = load y acquire system  r4 = load x acquire system }
exists P2.r1 == 1 && P2.r2 == 0 && P3.r3 == 1 && P3.r4 == 0`},

	{mapping + "IRIW", "C11/manual/IRIW-sc-sc-acq-sc-acq-sc", allowed, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst system }
thread P1 group 1 { store y, 1 seq_cst system }
thread P2 group 2 { r1 = load x acquire system  r2 = load y seq_cst system }
thread P3 group 3 { r3 = load y acquire system  r4 = load x seq_cst system }
exists P2.r1 == 1 && P2.r2 == 0 && P3.r3 == 1 && P3.r4 == 0`},
	{mapping + "RWC", "C11/manual/RWC-sc-acq-sc-sc-sc", allowed, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst system }
thread P1 group 1 { r1 = load x acquire system  r2 = load y seq_cst system }
thread P2 group 2 { store y, 1 seq_cst system  r3 = load x seq_cst system }
exists P1.r1 == 1 && P1.r2 == 0 && P2.r3 == 0`},

	{imm + "example 3.1", "C11/manual/imm-E3.1", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store x, 1 monotonic system  store y, 1 release system }
thread P1 group 1 { r0 = load y acquire system  r1 = load x monotonic system }
exists P1.r0 == 1 && P1.r1 == 0`},
	{imm + "example 3.2", "C11/manual/imm-E3.2", forbidden, `global x = 0
thread P0 group 0 { r0 = add x, 1 monotonic system }
thread P1 group 1 { store x, 2 monotonic system  r0 = load x monotonic system }
exists P0.r0 == 0 && P1.r0 == 1`},
	{imm + "example 3.4", "C11/manual/imm-E3.4", forbidden, `global x = 0 global y = 0
thread P0 group 0 { r0 = load x acquire system  store y, 1 release system }
thread P1 group 1 { r0 = load y acquire system  store x, 1 release system }
exists P0.r0 == 1 && P1.r0 == 1`},
	{imm + "example 3.7", "C11/manual/imm-E3.7", forbidden, `global x = 0 global y = 0 global z = 0
thread P0 group 0 { r0 = load z monotonic system  store x, r0 - 1 monotonic system  r1 = load x monotonic system  store y, r1 monotonic system }
thread P1 group 1 { r0 = load y monotonic system  store z, r0 monotonic system }
exists P0.r0 == 1 && P0.r1 == 1 && P1.r0 == 1`},
	{imm + "example 3.8", "C11/manual/imm-E3.8", forbidden, `global x = 0 global y = 0
thread P0 group 0 { r0 = load x acquire system  fence seq_cst system  r1 = load y acquire system }
thread P1 group 1 { store x, 1 release system }
thread P2 group 2 { store y, 1 release system }
thread P3 group 3 { r0 = load y acquire system  fence seq_cst system  r1 = load x acquire system }
exists P0.r0 == 1 && P0.r1 == 0 && P3.r0 == 1 && P3.r1 == 0`},
	{imm + "example 3.8 without fences", "C11/manual/imm-E3.8-alt", allowed, `global x = 0 global y = 0
thread P0 group 0 { r0 = load x acquire system  r1 = load y acquire system }
thread P1 group 1 { store x, 1 release system }
thread P2 group 2 { store y, 1 release system }
thread P3 group 3 { r0 = load y acquire system  r1 = load x acquire system }
exists P0.r0 == 1 && P0.r1 == 0 && P3.r0 == 1 && P3.r1 == 0`},
	{imm + "example 3.10", "C11/manual/imm-E3.10", forbidden, `global x = 0 global y = 0 global z = 0
thread P0 group 0 { r0 = load y monotonic system  store z, r0 monotonic system }
thread P1 group 1 { r0 = load z monotonic system  r1 = add x, 1 release system  store y, r1 + 1 monotonic system }
exists P0.r0 == 1 && P1.r0 == 1 && P1.r1 == 1`},
	{imm + "remark 2", "C11/manual/imm-R2", forbidden, `global x = 0 global y = 0
thread P0 group 0 { store y, 1 monotonic system  store x, 1 release system }
thread P1 group 1 { r0 = add x, 1 acq_rel system  store x, 3 monotonic system }
thread P2 group 2 { r0 = load x acquire system  r1 = load y monotonic system }
exists P1.r0 == 1 && P2.r0 == 3 && P2.r1 == 0`},
	{imm + "remark 2 with a fence", "C11/manual/imm-R2-alt", allowed, `global x = 0 global y = 0
thread P0 group 0 { store y, 1 monotonic system  store x, 1 release system }
thread P1 group 1 { fence release system  r0 = add x, 1 acquire system  store x, 3 monotonic system }
thread P2 group 2 { r0 = load x acquire system  r1 = load y monotonic system }
exists P1.r0 == 1 && P2.r0 == 3 && P2.r1 == 0`},

	{c11 + "rseq_weak", "C11/auto/rseq_weak", allowed, `global x = 0 global y = 0
thread P0 group 0 { store x, 2 monotonic system }
thread P1 group 1 { store y, 1  store x, 1 release system  store x, 3 monotonic system }
thread P2 group 2 { r0 = load x acquire system  if r0 == 3 { r1 = load y } }
exists x == 3 && y == 1`},
	{c11 + "strengthen", "C11/auto/strengthen", forbidden, `global a = 0 global x = 0 global y = 0 global z = 0
thread P0 group 0 { store a, 1  store z, 1 monotonic system }
thread P1 group 1 {
  r0 = load x monotonic system
  if r0 { r1 = load z acquire system  r2 = load a  if r2 { store y, 1 monotonic system } }
}
thread P2 group 2 { r3 = load y monotonic system  if r3 { store x, 1 monotonic system } }
exists a == 1 && z == 1 && x == 1 && y == 1`},
	{c11 + "linearisation", "C11/auto/linearisation", forbidden, `global x = 0 global y = 0 global w = 0 global z = 0
thread P0 group 0 { a = load x acquire system  b = load y  t = a + b  if t == 2 { store w, 1 release system } }
thread P1 group 1 { r0 = load w monotonic system  if r0 { store z, 1 monotonic system } }
thread P2 group 2 { r1 = load z monotonic system  if r1 { store y, 1  store x, 1 release system } }
exists P0.t == 2 && w == 1 && x == 1 && y == 1 && z == 1`},
}

// differing lists published verdicts from which the model differs, with its own verdict
// and the reason.
var differing = []struct {
	source, file, reason string
	published, verdict   litmus.Verdict
	text                 string
}{
	{imm + "example 3.3", "C11/manual/imm-E3.3", "RC11 forbids load buffering", forbidden, allowed, `global x = 0 global y = 0
thread P0 group 0 { r0 = load x monotonic system  store y, 1 release system }
thread P1 group 1 { r0 = load y monotonic system  store x, 1 release system }
exists P0.r0 == 1 && P1.r0 == 1`},
	{imm + "example 3.5", "C11/manual/imm-E3.5", "RC11 forbids load buffering", forbidden, allowed, `global x = 0 global y[2] = 0, 0
thread P0 group 0 { r0 = load x monotonic system  r1 = load y[r0] monotonic system  store y, 1 monotonic system }
thread P1 group 1 { r0 = load y monotonic system  store x, 1 release system }
exists P0.r0 == 1 && P1.r0 == 1`},
	{imm + "example 3.6", "C11/manual/imm-E3.6", "RC11 forbids load buffering", forbidden, allowed, `global x = 0 global y = 0 global z = 0
thread P0 group 0 { r0 = load x monotonic system  store y, 1 release system  r1 = load y monotonic system  store z, r1 monotonic system }
thread P1 group 1 { r0 = load z monotonic system  store x, r0 monotonic system }
exists P0.r0 == 1 && P0.r1 == 1 && P1.r0 == 1`},
	{popl16 + "example 7, relaxed accesses", "OPENCL/overhauling/example7b", "OpenCL's axioms allow values out of thin air", racy, forbidden, `global x = 0 global y = 0
thread P0 wave 0 { r = load x monotonic singlethread  if r == 1 { store y, 1 monotonic singlethread } }
thread P1 wave 1 { r = load y monotonic singlethread  if r == 1 { store x, 1 monotonic singlethread } }
exists x == 1 && y == 1`},
}

// barrier is OpenCL's barrier(CLK_GLOBAL_MEM_FENCE).
const barrier = "fence release workgroup-one-as barrier fence acquire workgroup-one-as "

// verdictOf returns the model's verdict on a test without a name.
func verdictOf(t *testing.T, file, text string) (litmus.Verdict, string) {
	t.Helper()
	text = "litmus published\n" + strings.ReplaceAll(text, "BARRIER", barrier)
	test, err := litmus.Parse(&diag.Source{Name: file, Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := model.Check(test)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r.Verdict(), r.Racy
}

func TestPublishedVerdicts(t *testing.T) {
	for _, c := range published {
		if got, race := verdictOf(t, c.file, c.text); got != c.verdict {
			t.Errorf("%s: %s, the published verdict is %s (%s)", c.source, got, c.verdict, race)
		}
	}
	t.Logf("%d published verdicts", len(published))
	if len(published) < 40 {
		t.Errorf("%d published verdicts", len(published))
	}
	for _, c := range differing {
		if got, race := verdictOf(t, c.file, c.text); got != c.verdict || got == c.published {
			t.Errorf("%s: %s, want %s, because %s (%s)", c.source, got, c.verdict, c.reason, race)
		}
	}
}

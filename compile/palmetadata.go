package compile

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// PAL's metadata: the front end's part, as metadata of the module, with the
// registers and resources of the compiled shaders.
// Sources: AMDGPU user guide, "Code Object Metadata" of amdpal; LLVM's
// AMDGPUPALMetadata.

// Names of the module's metadata: a document, or pairs of registers and values.
const (
	palDocument  = "amdgpu.pal.metadata.msgpack"
	palRegisters = "amdgpu.pal.metadata"
)

// palMetadata is the metadata of a pipeline in one of PAL's formats.
type palMetadata struct {
	c      *compiled
	legacy bool
	pairs  []codeobject.PALRegister // of the first format
	doc    codeobject.Node
	major  uint64 // of the document's version
	minor  uint64
}

// newPALMetadata returns the metadata of the compiled shaders.
func newPALMetadata(c *compiled) (*palMetadata, error) {
	p := &palMetadata{c: c, doc: codeobject.MapNode()}
	if err := p.readModule(); err != nil {
		return nil, err
	}
	for _, fn := range c.shaders() {
		var err error
		if fn.entry.StartsProgram() {
			err = p.shader(fn)
		} else {
			err = p.function(fn)
		}
		if err != nil {
			return nil, err
		}
	}
	p.doc.Sort()
	return p, nil
}

// readModule reads the front end's part.
func (p *palMetadata) readModule() error {
	m := p.c.m
	if n := m.NamedMetadata(palDocument); n != nil && len(n.Ops) > 0 {
		return p.readDocument(m.MDOperands(n.Ops[0]))
	}
	n := m.NamedMetadata(palRegisters)
	if n == nil || len(n.Ops) == 0 {
		return nil
	}
	p.legacy = true
	ops := m.MDOperands(n.Ops[0])
	for i := 0; i+1 < len(ops); i += 2 {
		r, ok := m.MDInt(ops[i])
		v, too := m.MDInt(ops[i+1])
		if ok && too {
			p.register(uint32(r), uint32(v))
		}
	}
	return nil
}

// readDocument reads the document in the first operand of a node, if it is a
// string.
func (p *palMetadata) readDocument(ops []ir.Metadata) error {
	if len(ops) == 0 {
		return nil
	}
	text, ok := p.c.m.MDString(ops[0])
	if !ok {
		return nil
	}
	doc, err := codeobject.ReadMsgpack([]byte(text))
	if err != nil {
		return fmt.Errorf("metadata !%s: %w", palDocument, err)
	}
	if doc.Kind != codeobject.NodeMap {
		return fmt.Errorf("metadata !%s: %v instead of a map", palDocument, doc.Kind)
	}
	p.doc = doc
	p.readVersion()
	return p.checkPipelines()
}

// readVersion reads the version of a document, 0.0 without one.
func (p *palMetadata) readVersion() {
	v := p.doc.Get("amdpal.version")
	if v == nil || v.Kind != codeobject.NodeArray {
		return
	}
	for i, to := range [...]*uint64{&p.major, &p.minor} {
		if i < len(v.Items) {
			*to, _ = v.Items[i].Uint()
		}
	}
}

// checkPipelines returns an error if the document cannot contain a pipeline.
func (p *palMetadata) checkPipelines() error {
	if list := p.doc.Get("amdpal.pipelines"); list != nil && list.Kind != codeobject.NodeArray {
		return fmt.Errorf("metadata !%s: amdpal.pipelines is %v, expected an array", palDocument, list.Kind)
	}
	return nil
}

// child returns the map with a key of a map, which it adds if it is missing.
func child(n *codeobject.Node, key string) *codeobject.Node {
	if x := n.Get(key); x == nil || x.Kind != codeobject.NodeMap {
		n.Set(key, codeobject.MapNode())
	}
	return n.Get(key)
}

// pipeline returns the map of the pipeline.
func (p *palMetadata) pipeline() *codeobject.Node {
	const key = "amdpal.pipelines"
	if p.doc.Get(key) == nil {
		p.doc.Set(key, codeobject.ArrayNode())
	}
	list := p.doc.Get(key)
	if list.Len() == 0 {
		list.Items = append(list.Items, codeobject.MapNode())
	}
	return &list.Items[0]
}

// firstKey is the first number in PAL's first format that is no register.
const firstKey = 0x10000000

// register adds the bits of a value to a register.
func (p *palMetadata) register(number, value uint32) {
	if p.legacy {
		p.pairs = append(p.pairs, codeobject.PALRegister{Register: number, Value: value})
		return
	}
	if number >= firstKey {
		return
	}
	regs := child(p.pipeline(), ".registers")
	for i := range regs.Len() {
		key, v := regs.Pair(i)
		if k, ok := key.Uint(); ok && k == uint64(number) {
			old, _ := v.Uint()
			*v = codeobject.UintNode(old | uint64(value))
			return
		}
	}
	regs.Items = append(regs.Items, codeobject.UintNode(uint64(number)), codeobject.UintNode(uint64(value)))
}

// Keys of PAL's first format, each the first of a key for every stage.
const (
	keyVGPRs   = 0x10000021
	keySGPRs   = 0x10000028
	keyScratch = 0x10000044
)

// count sets a number of a stage.
func (p *palMetadata) count(s *stage, name string, key uint32, n uint64) {
	if p.legacy {
		p.register(key+s.key, uint32(n))
		return
	}
	p.setField(s, name, codeobject.UintNode(n))
}

// setField sets a property of a stage.
func (p *palMetadata) setField(s *stage, name string, value codeobject.Node) {
	child(child(p.pipeline(), ".hardware_stages"), "."+s.name).Set(name, value)
}

func (p *palMetadata) flag(s *stage, name string, on bool) {
	p.setField(s, name, codeobject.BoolNode(on))
}

// shader adds a shader.
func (p *palMetadata) shader(fn *function) error {
	k, s := fn.shader, stageOf(fn.f.CC)
	if !p.legacy {
		p.setField(s, ".entry_point_symbol", codeobject.StringNode(fn.name))
		if p.major < 3 || p.major == 3 && p.minor < 6 {
			p.setField(s, ".entry_point", codeobject.StringNode("_amdgpu_"+s.name+"_main"))
		}
	}
	p.count(s, ".vgpr_count", keyVGPRs, uint64(k.nextVGPR()))
	if p.c.t.Limits().AGPRs > 0 && !p.legacy {
		p.setField(s, ".agpr_count", codeobject.UintNode(uint64(k.res.AGPRs)))
	}
	p.count(s, ".sgpr_count", keySGPRs, uint64(max(k.sgprs(), 1)))
	if err := p.resources(s, k, k.rsrc2(s)); err != nil {
		return err
	}
	p.count(s, ".scratch_memory_size", keyScratch, alignUp(k.res.ScratchBytes, 16))
	if s.cc == ir.CCAMDGPUPS {
		p.pixelInputs(fn)
	}
	if p.major < 3 && p.c.t.WaveSize() == 32 && s.wave32 != 0 {
		p.register(s.wave32, 1<<s.wave32Bit)
	}
	return nil
}

// resources adds the contents of PGM_RSRC1 and PGM_RSRC2, as registers or, from
// version 3 on, as properties.
func (p *palMetadata) resources(s *stage, k *kernel, rsrc2 uint32) error {
	if p.major < 3 {
		rsrc1, err := k.rsrc1(s)
		if err != nil {
			return err
		}
		p.register(s.rsrc1, rsrc1)
		p.register(s.rsrc1+1, rsrc2)
		return nil
	}
	if k.entry.StartsProgram() {
		p.flag(s, ".debug_mode", false)
		p.flag(s, ".scratch_en", k.res.ScratchBytes > 0 || k.dynamicStack())
		p.setField(s, ".lds_size", codeobject.UintNode(k.ldsBlocks()*k.ldsBlock()))
		if n := k.entry.TrapArea(); n > 0 {
			p.setField(s, ".dynamic_vgpr_saved_count", codeobject.UintNode(uint64(n/4)))
		}
	}
	p.properties(s, k)
	return nil
}

// properties adds the properties of version 3 that shaders and functions have.
func (p *palMetadata) properties(s *stage, k *kernel) {
	gfx10 := p.c.t.Processor.Is(target.GFX10_1)
	if !p.c.t.Processor.Is(target.GFX12) {
		p.flag(s, ".ieee_mode", k.ieee)
	}
	p.flag(s, ".wgp_mode", gfx10 && !p.c.t.Has(target.FeatureCUMode))
	p.flag(s, ".mem_ordered", gfx10)
	p.flag(s, ".forward_progress", gfx10)
	if s.isCompute() {
		p.flag(s, ".trap_present", false)
		p.setField(s, ".excp_en", codeobject.UintNode(0))
		if k.entry.Dynamic > 0 {
			child(p.pipeline(), ".compute_registers").Set(".dynamic_vgpr_en", codeobject.BoolNode(true))
		}
	}
}

// inputNames lists the names of a pixel shader's inputs by number.
var inputNames = [...]string{"persp_sample", "persp_center", "persp_centroid", "persp_pull_model", "linear_sample", "linear_center", "linear_centroid",
	"line_stipple_tex", "pos_x_float", "pos_y_float", "pos_z_float", "pos_w_float", "front_face", "ancillary", "sample_coverage", "pos_fixed_pt"}

// Registers with the inputs of a pixel shader.
const (
	spiPSInputEnable  = 0xa1b3
	spiPSInputAddress = 0xa1b4
)

// pixelInputs adds the inputs of a pixel shader.
func (p *palMetadata) pixelInputs(fn *function) {
	in := p.c.pixelInputs(fn)
	if p.major < 3 {
		p.register(spiPSInputEnable, in.Enable)
		p.register(spiPSInputAddress, in.Address)
		return
	}
	regs := child(p.pipeline(), ".graphics_registers")
	regs.Set(".ps_extra_lds_size", codeobject.UintNode(fn.shader.extraLDS()*fn.shader.extraLDSBlock()))
	for n, name := range inputNames {
		child(regs, ".spi_ps_input_ena").Set("."+name+"_ena", codeobject.BoolNode(in.Enable>>n&1 != 0))
		child(regs, ".spi_ps_input_addr").Set("."+name+"_ena", codeobject.BoolNode(in.Address>>n&1 != 0))
	}
}

// function adds a function that shaders call or jump to. Its registers are
// allocated by the shader: the bits of all are combined.
func (p *palMetadata) function(fn *function) error {
	k, s := fn.shader, stageOf(ir.CCAMDGPUCS)
	if err := p.resources(s, k, k.rsrc2(s)); err != nil || p.legacy {
		return err
	}
	at := child(child(p.pipeline(), ".shader_functions"), fn.name)
	for _, x := range [...]struct {
		name string
		n    uint64
	}{{".stack_frame_size_in_bytes", ownStack(&fn.res)}, {".backend_stack_size", ownStack(&fn.res)}, {".lds_size", k.res.LDSBytes},
		{".vgpr_count", uint64(k.nextVGPR())}, {".sgpr_count", uint64(max(k.sgprs(), 1))}} {
		at.Set(x.name, codeobject.UintNode(x.n))
	}
	return nil
}

// ownStack returns the size of a function's frame in bytes per lane.
func ownStack(r *codegen.Resources) uint64 { return r.ScratchBytes }

// isEmpty reports whether nothing is described.
func (p *palMetadata) isEmpty() bool {
	if p.legacy {
		return len(p.pairs) == 0
	}
	return p.doc.Len() == 0
}

// note returns the note record of the metadata.
func (p *palMetadata) note() codeobject.Note {
	if p.legacy {
		desc := codeobject.AppendPALRegisters(nil, codeobject.MergePALRegisters(p.pairs))
		return codeobject.Note{Owner: codeobject.NoteOwnerV2, Type: codeobject.NT_AMD_PAL_METADATA, Desc: desc}
	}
	return codeobject.Note{Owner: codeobject.NoteOwner, Type: codeobject.NT_AMDGPU_METADATA, Desc: p.doc.AppendMsgpack(nil)}
}

// appendText appends the metadata as directives.
func (p *palMetadata) appendText(b []byte) ([]byte, error) {
	switch {
	case p.isEmpty():
		return b, nil
	case p.legacy:
		return fmt.Appendf(b, "\t.amd_amdgpu_pal_metadata %s\n", codeobject.PALRegistersText(codeobject.MergePALRegisters(p.pairs))), nil
	}
	b, err := codeobject.AppendPALYAML(append(b, "\t.amdgpu_pal_metadata\n"...), &p.doc)
	return append(b, "\t.end_amdgpu_pal_metadata\n"...), err
}

package catalyst

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// RecoverConfigs sets the configuration of each kernel that can be made from
// one, so that Bytes still returns the same bytes. The result has the reason
// for each other kernel, by index, and nil for those with a configuration.
//
// Facts that do not show in a file are replaced by an equivalent: the numbers of
// registers are given, pointers to constant memory are used.
func (b *Binary) RecoverConfigs() []error {
	reasons := make([]error, len(b.Kernels))
	configs := make([]*Config, len(b.Kernels))
	ids := make([]uint32, len(b.Kernels))
	for i := range b.Kernels {
		configs[i], ids[i], reasons[i] = b.recoverConfig(i)
	}
	b.keepUniqueIDs(configs, ids, reasons)
	for i := range b.Kernels {
		b.Kernels[i].Config = configs[i]
	}
	return reasons
}

// idRounds bounds the rounds of keepUniqueIDs.
const idRounds = 8

// keepUniqueIDs removes configurations until the kernels' unique ids are those
// in their metadata.
func (b *Binary) keepUniqueIDs(configs []*Config, ids []uint32, reasons []error) {
	for round := 0; ; round++ {
		u := &uniqueIDs{next: firstUniqueID, taken: map[uint32]bool{}}
		for i := range b.Kernels {
			if configs[i] == nil {
				u.takeFrom(b.Kernels[i].Metadata)
			}
		}
		stable := true
		for i, c := range configs {
			if c == nil {
				continue
			}
			before := u.next
			if id := u.newID(); id != ids[i] || round == idRounds {
				configs[i], reasons[i] = nil, fmt.Errorf("the unique id is %d instead of %d", ids[i], id)
				u.next, stable = before, false
			}
		}
		if stable {
			return
		}
	}
}

// newRecovery returns the recovery of a kernel, with the contents of its notes.
func (b *Binary) newRecovery(index int) (*recovery, error) {
	k := &b.Kernels[index]
	r := &recovery{
		c:    configured{Config: &Config{}, b: b, index: index, name: k.Name, version: b.Driver.Version},
		info: map[uint32]uint32{}, notes: map[NoteType][]uint32{},
	}
	var err error
	for i := range k.Notes {
		n := &k.Notes[i]
		if len(n.Desc)%4 != 0 {
			err = fmt.Errorf("note %d, %s, has %d bytes", i, n.Type, len(n.Desc))
		}
		r.notes[n.Type] = noteWords(n.Desc)
	}
	return r, err
}

// recoverConfig returns the configuration of a kernel and the unique id in its
// metadata.
func (b *Binary) recoverConfig(index int) (*Config, uint32, error) {
	k := &b.Kernels[index]
	r, err := b.newRecovery(index)
	if err != nil {
		return nil, 0, err
	}
	for _, step := range []func() error{
		func() error { return errors.Join(r.readLines(string(k.Metadata))...) }, r.recoverInfo,
		func() error { return r.recoverHeader(k.Header) }, r.recoverUses, r.recoverIDs, r.recoverSizes,
	} {
		if err := step(); err != nil {
			return nil, 0, err
		}
	}
	made := Kernel{Name: k.Name, Config: r.c.Config}
	if err := b.configureKernel(index, &made, r.id); err != nil {
		return nil, 0, err
	}
	if err := difference(&made, k); err != nil {
		return nil, 0, err
	}
	return r.c.Config, r.id, nil
}

// difference returns an error if the generated parts of two kernels differ.
func difference(got, want *Kernel) error {
	if !bytes.Equal(got.Metadata, want.Metadata) {
		g, w := strings.Split(string(got.Metadata), "\n"), strings.Split(string(want.Metadata), "\n")
		i := 0
		for i < min(len(g), len(w))-1 && g[i] == w[i] {
			i++
		}
		return fmt.Errorf("line %d of the metadata would be %q instead of %q", i+1, g[i], w[i])
	}
	if !bytes.Equal(got.Header, want.Header) {
		return errors.New("the header would differ")
	}
	for i := range got.Notes {
		if g := &got.Notes[i]; i >= len(want.Notes) || g.Type != want.Notes[i].Type || !bytes.Equal(g.Desc, want.Notes[i].Desc) {
			return fmt.Errorf("note %d, %s, would differ", i, g.Type)
		}
	}
	if len(got.Notes) != len(want.Notes) {
		return fmt.Errorf("there are %d notes instead of %d", len(want.Notes), len(got.Notes))
	}
	return nil
}

// noteWords returns the contents of a note as words.
func noteWords(b []byte) []uint32 {
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// recovery collects the configuration of a kernel.
type recovery struct {
	c     configured // with the configuration
	id    uint32     // unique id
	info  map[uint32]uint32
	notes map[NoteType][]uint32 // the last one of each type

	private uint32   // bytes of private memory
	offsets []uint32 // of the arguments in constant buffer 1, in bytes
	given   [4]Option
}

// lineRule is a key of the metadata, with what follows it.
type lineRule struct {
	key   string
	apply func(r *recovery, rest string) error
}

// lineRules returns the keys of lines. Keys of lines that follow from other
// facts are read without effect: the result is compared in the end.
func lineRules() []lineRule {
	number := func(p func(r *recovery) *uint32) func(*recovery, string) error {
		return func(r *recovery, rest string) error {
			v, err := parseNumber(rest)
			*p(r) = v
			return err
		}
	}
	id := func(i int) func(*recovery, string) error {
		return func(r *recovery, rest string) error {
			v, err := parseNumber(rest)
			r.given[i] = Number(v)
			return err
		}
	}
	ignored := func(*recovery, string) error { return nil }
	return []lineRule{
		{"ARGSTART:", ignored}, {"version:", ignored}, {"device:", ignored}, {"function:", ignored}, {"ARGEND:", ignored},
		{"memory:datareqd", ignored}, {"memory:64bitABI", ignored},
		{"uniqueid:", number(func(r *recovery) *uint32 { return &r.id })},
		{"memory:uavprivate:", number(func(r *recovery) *uint32 { return &r.private })},
		{"memory:hwlocal:", number(func(r *recovery) *uint32 { return &r.c.LocalSize })},
		{"memory:hwregion:", number(func(r *recovery) *uint32 { return &r.c.Region })},
		{"uavid:", id(0)}, {"cbid:", id(1)}, {"printfid:", id(2)}, {"privateid:", id(3)},
		{"cws:", (*recovery).groupSizeLine}, {"value:", (*recovery).valueLine}, {"pointer:", (*recovery).pointerLine},
		{"image:", (*recovery).imageLine}, {"counter:", (*recovery).counterLine}, {"constarg:", (*recovery).constLine},
		{"sampler:", (*recovery).samplerLine}, {"reflection:", (*recovery).typeLine},
	}
}

// maxProblems bounds the problems of one kernel's metadata.
const maxProblems = 10

// readLines reads the metadata, and returns the problems of its lines. Names of
// types can contain line breaks.
func (r *recovery) readLines(text string) (problems []error) {
	text, ok := strings.CutPrefix(text, ";")
	if !ok {
		return []error{errors.New("the metadata do not begin with ;")}
	}
	rules := lineRules()
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n;") {
		if len(problems) == maxProblems {
			break
		}
		n := slices.IndexFunc(rules, func(l lineRule) bool { return strings.HasPrefix(line, l.key) })
		if n < 0 {
			problems = append(problems, fmt.Errorf("entry %d of the metadata, %q, is unknown", i+1, line))
		} else if err := rules[n].apply(r, line[len(rules[n].key):]); err != nil {
			problems = append(problems, fmt.Errorf("entry %d of the metadata, %q: %v", i+1, line, err))
		}
	}
	return problems
}

func parseNumber(text string) (uint32, error) {
	v, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return uint32(v), nil
}

// fields splits a line into a name, which can contain colons, and n fields.
func fields(rest string, n int) (name string, list []string, err error) {
	list = strings.Split(rest, ":")
	if len(list) < n+1 {
		return "", nil, fmt.Errorf("%d fields, expected %d", len(list), n+1)
	}
	at := len(list) - n
	return strings.Join(list[:at], ":"), list[at:], nil
}

func (r *recovery) groupSizeLine(rest string) error {
	_, f, err := fields(":"+rest, 3)
	for i := range f {
		if err == nil {
			r.c.GroupSize[i], err = parseNumber(f[i])
		}
	}
	return err
}

// addArg appends an argument with its offset in decimal digits.
func (r *recovery) addArg(a Arg, offset string) error {
	off, err := parseNumber(offset)
	if err != nil {
		return err
	}
	for i := range len(a.Name) {
		c := a.Name[i]
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'; !letter && (i == 0 || c < '0' || c > '9') {
			return fmt.Errorf("%q is not a name", a.Name)
		}
	}
	r.c.Args, r.offsets = append(r.c.Args, a), append(r.offsets, off)
	return nil
}

// kindOf returns the kind with a name in metadata, among those from first to
// last.
func kindOf(meta string, first, last Kind) (Kind, error) {
	for k := first; k <= last; k++ {
		if kinds[k].meta == meta {
			return k, nil
		}
	}
	return 0, fmt.Errorf("unknown type %q", meta)
}

// valueLine reads a scalar, vector, structure or sampler.
func (r *recovery) valueLine(rest string) error {
	name, f, err := fields(rest, 4)
	if err != nil {
		return err
	}
	kind, err := kindOf(f[0], Char, Structure)
	if err != nil {
		return err
	}
	n, err := parseNumber(f[1])
	if err != nil {
		return err
	}
	if kind == Structure {
		return r.addArg(Arg{Name: name, Type: Type{Structure, 1}, Size: n}, f[3])
	}
	if n > 16 {
		return fmt.Errorf("%d lanes", n)
	}
	return r.addArg(Arg{Name: name, Type: Type{kind, uint8(n)}}, f[3])
}

// pointerLine reads a pointer.
func (r *recovery) pointerLine(rest string) error {
	name, f, err := fields(rest, 10)
	if err != nil {
		return err
	}
	a := Arg{Name: name, Pointer: true}
	size, err := parseNumber(f[6])
	if err != nil {
		return err
	}
	if a.Type, a.Size, err = pointee(f[0], size); err != nil {
		return err
	}
	switch f[4] {
	case "hl":
		a.Space = Local
	case "c", "hc":
		a.Space = Constant
	}
	if a.Space != Local {
		id, err := parseNumber(f[5])
		if err != nil {
			return err
		}
		a.ID = Number(id)
	}
	if f[8] == "1" {
		a.Access |= Volatile
	}
	if f[9] == "1" {
		a.Access |= Restrict
	}
	return r.addArg(a, f[3])
}

// pointee returns the type that a pointer points to, from its name in metadata
// and the element's size in bytes.
func pointee(meta string, size uint32) (Type, uint32, error) {
	switch meta {
	case "opaque":
		return Type{Structure, 1}, 0, nil
	case "struct":
		return Type{Structure, 1}, size, nil
	}
	kind, err := kindOf(meta, Char, Double)
	if err != nil {
		return Type{}, 0, err
	}
	lanes := size / kinds[kind].size
	if lanes == 0 || lanes > 16 {
		return Type{}, 0, fmt.Errorf("an element of %d bytes", size)
	}
	return Type{kind, uint8(lanes)}, 0, nil
}

func (r *recovery) imageLine(rest string) error {
	name, f, err := fields(rest, 5)
	if err != nil {
		return err
	}
	a := Arg{Name: name, Type: Type{Lanes: 1}}
	if a.Type.Kind, err = kindOf(f[0], Image1D, Image3D); err != nil {
		return err
	}
	if f[1] == "WO" {
		a.Access = WriteOnly
	}
	id, err := parseNumber(f[2])
	if err != nil {
		return err
	}
	a.ID = Number(id)
	return r.addArg(a, f[4])
}

func (r *recovery) counterLine(rest string) error {
	name, f, err := fields(rest, 4)
	if err != nil {
		return err
	}
	id, err := parseNumber(f[1])
	if err != nil {
		return err
	}
	return r.addArg(Arg{Name: name, Type: Type{Counter32, 1}, ID: Number(id)}, f[3])
}

// arg returns the argument with an index in decimal digits.
func (r *recovery) arg(index string) (*Arg, error) {
	i, err := parseNumber(index)
	if err != nil {
		return nil, err
	}
	if int64(i) >= int64(len(r.c.Args)) {
		return nil, fmt.Errorf("there is no argument %d", i)
	}
	return &r.c.Args[i], nil
}

func (r *recovery) constLine(rest string) error {
	index, _, _ := strings.Cut(rest, ":")
	a, err := r.arg(index)
	if err == nil {
		a.Access |= Const
	}
	return err
}

// samplerLine reads a fixed sampler or finds the argument of a sampler.
func (r *recovery) samplerLine(rest string) error {
	name, f, err := fields(rest, 3)
	if err != nil {
		return err
	}
	if f[1] == "1" {
		v, err := parseNumber(f[2])
		r.c.Samplers = append(r.c.Samplers, v)
		return err
	}
	for i := range r.c.Args {
		if a := &r.c.Args[i]; a.Name == name && !a.Pointer && a.Type == (Type{UInt, 1}) {
			a.Type.Kind = Sampler
			return nil
		}
	}
	return fmt.Errorf("there is no argument %s", name)
}

// typeLine reads the name of an argument's type. It distinguishes types with
// the same size.
func (r *recovery) typeLine(rest string) error {
	index, name, _ := strings.Cut(rest, ":")
	a, err := r.arg(index)
	if err != nil {
		return err
	}
	types := []Type{a.Type}
	if a.Pointer && a.Type.Lanes == 4 {
		types = append(types, Type{a.Type.Kind, 3})
	}
	if a.Type == (Type{UChar, 1}) {
		types = append(types, Type{Void, 1})
	}
	for _, t := range types {
		if other := (&Arg{Type: t, Pointer: a.Pointer}); other.typeName() == name {
			a.Type = t
			return nil
		}
	}
	a.TypeName, a.HasTypeName = name, true
	return nil
}

// recoverInfo reads the note ProgInfo.
func (r *recovery) recoverInfo() error {
	words := r.notes[ProgInfo]
	for i := 0; i+1 < len(words); i += 2 {
		r.info[words[i]] = words[i+1]
	}
	n := r.info[infoUserData]
	if n > maxUserData {
		return fmt.Errorf("%d user data", n)
	}
	c := r.c.Config
	for i := range n {
		at := infoUserData + 1 + 4*i
		c.UserData = append(c.UserData, UserData{DataClass(r.info[at]), r.info[at+1], r.info[at+2], r.info[at+3]})
	}
	c.SGPRs, c.VGPRs = Number(r.info[infoSGPRs]), Number(r.info[infoVGPRs])
	if m := r.info[infoFloatMode]; m != defaultFloatMode {
		c.FloatMode = Number(m)
	}
	c.IEEEMode = r.info[infoIEEEMode] != 0
	c.ScratchBuffer = r.info[infoScratch] * 4
	r.recoverRSrc2(r.info[infoPgmRSrc2])
	first := func(t NoteType) uint32 {
		if w := r.notes[t]; len(w) > 0 {
			return w[0]
		}
		return 0
	}
	c.EarlyExit, c.CondOut = first(EarlyExit), first(CondOut)
	return nil
}

// recoverRSrc2 splits COMPUTE_PGM_RSRC2 into facts.
func (r *recovery) recoverRSrc2(word uint32) {
	c := r.c.Config
	c.TGSize = word>>rsrc2TGSize&1 != 0
	c.Exceptions = uint8(word >> rsrc2Exceptions & 0x7f)
	groups, locals := Dims(word>>rsrc2GroupIDs&7), word>>rsrc2LocalIDs&3
	if word&rsrc2Dims != 0 && locals < 3 {
		c.HasDims, c.GroupIDs, c.LocalIDs = true, groups, 1<<(locals+1)-1
		if bits.Len8(uint8(groups)) == int(locals)+1 {
			c.LocalIDs = groups
		}
	}
	if rest := word &^ r.c.pgmRSrc2(); rest != 0 {
		c.PgmRSrc2 = Number(rest)
	}
}

// recoverHeader reads the header.
func (r *recovery) recoverHeader(header []byte) error {
	if len(header) != 32 {
		return fmt.Errorf("the header has %d bytes", len(header))
	}
	r.c.UsePrintf = header[16]&2 != 0
	return nil
}

// recoverUses finds the arguments that the kernel does not use, in the note
// UAVOpMask.
func (r *recovery) recoverUses() error {
	words := r.notes[UAVOpMask]
	if len(words) != maxUAVs/32 {
		return errors.New("the note UAVOpMask does not have 32 words")
	}
	mask := uavMask(words)
	used := func(id uint32) bool { return id >= maxUAVs || mask[id/32]>>(id%32)&1 != 0 }
	images := uint32(0)
	for i := range r.c.Args {
		switch a := &r.c.Args[i]; {
		case a.isWritten():
			a.Unused = !used(images)
			images = min(images+1, maxWriteImages)
		case a.isMemory() && (a.Space == Global || r.c.version >= version1348):
			a.Unused = !used(a.ID.Value)
		}
	}
	return nil
}

// recoverIDs compares the ids with the defaults, and finds the use of constant
// data.
func (r *recovery) recoverIDs() error {
	if err := r.c.resolveIDs(); err != nil {
		return err
	}
	options := []*Option{&r.c.UAVID, &r.c.ConstBufferID, &r.c.PrintfID, &r.c.PrivateID}
	for i, resolved := range []Option{r.c.uav, r.c.constBuffer, r.c.printf, r.c.private} {
		switch given := r.given[i]; {
		case given.State == Default && resolved.State == Given:
			options[i].State = None
		case given.State == Given && given != resolved:
			*options[i] = given
		}
	}
	if err := r.c.resolveIDs(); err != nil {
		return err
	}
	if err := r.recoverArgIDs(); err != nil {
		return err
	}
	if without, bit := r.c.uavMask(), r.c.constBuffer.or(noUAV)%32; r.c.version >= version1348 {
		r.c.UseConstData = (r.notes[UAVOpMask][0]&^without[0])>>bit&1 != 0
	}
	return nil
}

// recoverArgIDs leaves out the ids that arguments get by default. If an
// argument has the first id that no other one has, it is the default, and those
// with smaller ids have them by hand.
func (r *recovery) recoverArgIDs() error {
	spaces := newIDSpaces(r.c.uav.or(0)+1, r.c.firstConst())
	given := make([]Option, len(r.c.Args))
	owners := map[*idSpace]map[uint32]int{}
	for i := range r.c.Args {
		a := &r.c.Args[i]
		space := spaces.of(a, r.c.version)
		if space == nil || space == &spaces.uavs && a.Unused {
			a.ID = Option{}
			continue
		}
		given[i] = a.ID
		if owners[space] == nil {
			owners[space] = map[uint32]int{}
		}
		owners[space][a.ID.Value] = i
	}
	all := slices.Clone(given)
	for i := range r.c.Args {
		if space := spaces.of(&r.c.Args[i], r.c.version); space != nil && given[i].State == Given {
			leaveOutID(given, i, space, owners[space])
		}
	}
	for i := range r.c.Args {
		r.c.Args[i].ID = given[i]
	}
	err := r.c.resolveArgs()
	for i := range all {
		if err != nil || all[i].State == Given && all[i].Value != r.c.args[i] {
			for i := range all {
				r.c.Args[i].ID = all[i]
			}
			return asError(r.c.resolveArgs())
		}
	}
	return nil
}

// leaveOutID removes the id of argument i from the given ones if it is the
// default. owners holds the argument of each id.
func leaveOutID(given []Option, i int, space *idSpace, owners map[uint32]int) {
	id := given[i].Value
	for n := space.next; n < id; n++ {
		if _, ok := owners[n]; !ok {
			return
		}
	}
	if id < space.next || id >= space.past {
		return
	}
	space.next = id + 1
	given[i] = Option{}
}

// asError returns a *WriteError as an error, without a type for nil.
func asError(err *WriteError) error {
	if err == nil {
		return nil
	}
	return err
}

// recoverSizes finds the sizes of private memory and of constant buffers.
func (r *recovery) recoverSizes() error {
	if r.private != r.c.defaultPrivateSize() {
		r.c.UAVPrivate = Number(r.private)
	}
	if r.c.version >= version1124 {
		return nil
	}
	words := r.notes[ConstantBuffers]
	for i := len(r.c.Args) - 1; i >= 0; i-- {
		a := &r.c.Args[i]
		if !a.Pointer || a.Space != Constant || len(words) < 2 {
			continue
		}
		if words[1] != constUnits(0) {
			a.ConstSize = 16 * words[1]
		}
		words = words[2:]
	}
	return nil
}

package catalyst

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestRecoverErrors changes one fact of a kernel that could be configured.
func TestRecoverErrors(t *testing.T) {
	const first = ";ARGSTART:__OpenCL_a_kernel\n"
	line := func(text string) func(*Kernel) {
		return func(k *Kernel) { k.Metadata = append([]byte(first+text+"\n"), k.Metadata[len(first):]...) }
	}
	replaced := func(from, to string) func(*Kernel) {
		return func(k *Kernel) { k.Metadata = bytes.Replace(k.Metadata, []byte(from), []byte(to), 1) }
	}
	note := func(t NoteType, change func(n *Note)) func(*Kernel) {
		return func(k *Kernel) {
			for i := range k.Notes {
				if n := &k.Notes[i]; n.Type == t {
					n.Desc = bytes.Clone(n.Desc)
					change(n)
				}
			}
		}
	}
	for _, row := range []struct {
		change func(*Kernel)
		text   string
	}{
		{func(k *Kernel) {}, ""},
		{line(";new:1"), `entry 2 of the metadata, "new:1", is unknown`},
		{line(";version:3:1:112"), `line 2 of the metadata would be ";version:3:1:111" instead of ";version:3:1:112"`},
		{line(";uavid:x"), `entry 2 of the metadata, "uavid:x": "x" is not a number`},
		{line(";uniqueid:-1"), `"-1" is not a number`},
		{line(";value:a:u32:1:1:z"), `"z" is not a number`},
		{line(";cws:1:2:x"), `"x" is not a number`},
		{line(";cws:1"), "2 fields, expected 4"},
		{line(";value:a:u32:1"), "3 fields, expected 5"},
		{line(";value:a-b:u32:1:1:0"), `"a-b" is not a name`},
		{line(";value:1:u32:1:1:0"), `"1" is not a name`},
		{line(";value:a:u33:1:1:0"), `unknown type "u33"`},
		{line(";value:a:u32:x:1:0"), `"x" is not a number`},
		{line(";value:a:u32:17:1:0"), "17 lanes"},
		{line(";pointer:a:float:1:1:0:uav:12:4:RO:0"), "10 fields"},
		{line(";pointer:a:float:1:1:0:uav:12:x:RO:0:0"), `"x" is not a number`},
		{line(";pointer:a:float:1:1:0:uav:y:4:RO:0:0"), `"y" is not a number`},
		{line(";pointer:a:flat:1:1:0:uav:12:4:RO:0:0"), `unknown type "flat"`},
		{line(";pointer:a:float:1:1:0:uav:12:3:RO:0:0"), "an element of 3 bytes"},
		{line(";pointer:a:float:1:1:0:uav:12:96:RO:0:0"), "an element of 96 bytes"},
		{line(";image:a:2D:RO:0:1"), "5 fields"},
		{line(";image:a:4D:RO:0:1:0"), `unknown type "4D"`},
		{line(";image:a:2D:RO:z:1:0"), `"z" is not a number`},
		{line(";counter:a:32:0"), "3 fields"},
		{line(";counter:a:32:z:1:0"), `"z" is not a number`},
		{line(";constarg:7:a"), "there is no argument 7"},
		{line(";reflection:x:a"), `"x" is not a number`},
		{line(";sampler:q:0:0:0"), "there is no argument q"},
		{line(";sampler:q"), "1 fields"},
		{replaced(";uavid:11\n", ";uavid:5000\n"), "the kernel's id 5000 is above 1023"},
		{replaced(";uavid:11\n", ""), "the kernel has pointers but no UAV id"},
		{func(k *Kernel) { k.Metadata = []byte("x") }, "the metadata do not begin with ;"},
		{func(k *Kernel) { k.Header = k.Header[:31] }, "the header has 31 bytes"},
		{func(k *Kernel) { k.Header = append(bytes.Clone(k.Header[:31]), 1) }, "the header would differ"},
		{func(k *Kernel) { k.Notes = k.Notes[:len(k.Notes)-1] }, "the note UAVOpMask does not have 32 words"},
		{func(k *Kernel) { k.Notes = append(k.Notes, Note{Type: 77}) }, "there are 18 notes instead of 17"},
		{note(Inputs, func(n *Note) { n.Desc = []byte{1} }), "note 0, Inputs, has 1 bytes"},
		{note(Outputs, func(n *Note) { n.Desc = make([]byte, 4) }), "note 1, Outputs, would differ"},
		{note(ProgInfo, func(n *Note) { n.Desc[4] = 17 }), "17 user data"},
		{note(UAVOpMask, func(n *Note) { n.Desc[127] = 1 }), "note 16, UAVOpMask, would differ"},
	} {
		b, err := Read(sample(t, false))
		if err != nil {
			t.Fatal(err)
		}
		row.change(&b.Kernels[0])
		reason := b.RecoverConfigs()[0]
		if row.text == "" && reason == nil && b.Kernels[0].Config != nil {
			continue
		}
		if reason == nil || !strings.Contains(reason.Error(), row.text) || b.Kernels[0].Config != nil {
			t.Errorf("reason %v, want %q", reason, row.text)
		}
	}
}

// TestRecoverIDs checks which ids are left out.
func TestRecoverIDs(t *testing.T) {
	memory := func(id uint32, unused bool) Arg {
		a := Arg{Name: "p", Pointer: true, Type: Type{UInt, 1}, Unused: unused}
		if id != 0 {
			a.ID = Number(id)
		}
		return a
	}
	for _, row := range []struct {
		args []Arg
		want string
	}{
		{[]Arg{memory(0, false), memory(0, true), memory(0, false)}, "[{0 0} {0 0} {0 0}]"},
		{[]Arg{memory(0, false), memory(14, false), memory(0, false), memory(0, false)}, "[{0 0} {0 0} {1 13} {0 0}]"},
		{[]Arg{memory(0, false), memory(20, false), memory(13, false)}, "[{0 0} {1 20} {0 0}]"},
		{[]Arg{memory(9, false), memory(11, false)}, "[{1 9} {1 11}]"},
		{[]Arg{memory(11, false), memory(11, false), memory(11, true)}, "[{1 11} {1 11} {1 11}]"},
		{[]Arg{memory(1023, false), memory(0, false)}, "[{1 1023} {0 0}]"},
	} {
		k := configuredKernel(&Config{Args: row.args})
		out, err := k.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		b, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		if reason := b.RecoverConfigs()[0]; reason != nil {
			t.Errorf("%v: %v", row.args, reason)
			continue
		}
		var ids []Option
		for _, a := range b.Kernels[0].Config.Args {
			ids = append(ids, a.ID)
		}
		if fmt.Sprint(ids) != row.want {
			t.Errorf("ids %v, want %s", ids, row.want)
		}
		checkBytes(t, "recovered", b, out)
	}
}

// TestUniqueIDs checks that kernels keep their notes if their numbers would
// change.
func TestUniqueIDs(t *testing.T) {
	b := configuredKernel(&Config{})
	b.Kernels = append(b.Kernels, b.Kernels[0], b.Kernels[0])
	b.Kernels[1].Name, b.Kernels[2].Name = "l", "m"
	out, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		order string
		want  string
	}{
		{"012", "[true true true]"}, {"120", "[false false true]"}, {"210", "[false false true]"},
		{"00", "[false false]"}, {"2", "[false]"}, {"0110", "[false false false false]"},
	} {
		again, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		var kernels []Kernel
		for _, i := range row.order {
			kernels = append(kernels, again.Kernels[i-'0'])
		}
		again.Kernels = kernels
		before, err := again.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for i, reason := range again.RecoverConfigs() {
			if (reason == nil) != (again.Kernels[i].Config != nil) {
				t.Errorf("%s: kernel %d: %v", row.order, i, reason)
			}
			got = append(got, reason == nil)
		}
		if fmt.Sprint(got) != row.want {
			t.Errorf("%s: %v, want %s", row.order, got, row.want)
		}
		checkBytes(t, row.order, again, before)
	}
}

package main

import (
	"strings"
	"testing"
)

// TestEqualCodes adds rows whose opcode numbers belong to other instructions.
func TestEqualCodes(t *testing.T) {
	for _, c := range []struct{ file, row, want string }{
		{"vop1.tsv", "v_made_up_b32\tVOP1\t-\t1100:01\tvdst:v1 src0:vs1.i32\t-", "has the opcode number 0x1 on 1100, but vop1.tsv:"},
		{"vop1.tsv", "v_made_up_b32\tVOP1\tdpp\t1100:01\tvdst:v1 src0:v1\t-", ": v_mov_b32 has it, too"},
		{"vop3.tsv", "v_made_up_b32\tVOP3\t-\t1100:181\tvdst:v1 src0:vs1.i32\t-", "has the opcode number 0x181 on 1100, but "},
		{"vop3p.tsv", "v_made_up_f16\tVOP3P\t-\t908:59\tvdst:v1 src0:vs1.v2f16\t-", "v_accvgpr_write_b32"},
	} {
		_, err := read(withRow(t, c.file, c.row+"\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "v_made_up") {
			t.Errorf("%q: error %v, want %s", c.row, err, c.want)
		}
	}
}

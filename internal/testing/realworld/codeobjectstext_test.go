package realworld

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// maxShown is the maximum number of differing lines that are printed per code
// object.
const maxShown = 3

// compareText compares the instructions of a text with llvm-objdump's.
func (c *codeObject) compareText(objdump string, text []byte) {
	file := filepath.Join(c.t.TempDir(), "object")
	if err := os.WriteFile(file, c.image, 0o600); err != nil {
		c.t.Fatal(err)
	}
	defer os.Remove(file)
	cmd := exec.Command(objdump, "-d", file)
	theirs, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	want, got := newLines(bufio.NewReaderSize(theirs, 1<<16)), newLines(bytes.NewReader(text))
	shown := 0
	for shown < maxShown {
		w, g := want.next(), got.next()
		if w == "" && g == "" {
			break
		}
		if w != g {
			c.t.Errorf("%s: %s\nllvm-objdump: %s", c.name, g, w)
			shown++
		}
		c.instructions++
	}
	c.asData += got.asData
	for want.next() != "" { // drain the output, otherwise objdump blocks
	}
	if err := cmd.Wait(); err != nil {
		c.t.Errorf("%s: llvm-objdump: %v", c.name, err)
	}
}

// lines reads the instructions of a disassembly.
type lines struct {
	s      *bufio.Scanner
	inCode bool
	zeros  bool // the last line was zeros
	asData int  // instructions that are written as data
}

func newLines(r interface{ Read([]byte) (int, error) }) *lines {
	l := &lines{s: bufio.NewScanner(r)}
	l.s.Buffer(make([]byte, 1<<16), 1<<20)
	return l
}

// zeroLine represents any number of zero bytes.
const zeroLine = "zeros"

// next returns the next instruction as "text // address: words", or zeroLine;
// "" at the end. Branches have the number that is in their words.
func (l *lines) next() string {
	for l.s.Scan() {
		line := l.s.Text()
		switch {
		case strings.HasPrefix(line, "Disassembly of section"), strings.HasPrefix(line, "\t.text"), strings.HasPrefix(line, "\t.section") && strings.Contains(line, "x\","):
			l.inCode = true
			continue
		case strings.HasPrefix(line, "\t.section"):
			l.inCode = false
			continue
		case !l.inCode || !strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "\t.p2align"), strings.HasPrefix(line, "\t.set"):
			continue
		case line == "\t\t...", strings.HasPrefix(line, "\t.zero"):
			if !l.zeros {
				l.zeros = true
				return zeroLine
			}
			continue
		}
		l.zeros = false
		return l.instruction(line[1:])
	}
	return ""
}

// instruction returns a line's instruction and its comment.
func (l *lines) instruction(line string) string {
	at := strings.LastIndex(line, "//")
	if at < 0 {
		return line
	}
	text, comment := strings.TrimSpace(line[:at]), line[at:]
	if _, original, is := strings.Cut(text, " // "); is && strings.HasPrefix(text, ".long ") {
		l.asData++
		text = original
	}
	comment, _, _ = strings.Cut(comment, " <") // the branch target
	if name, _, operand := strings.Cut(text, " "); operand && (strings.HasPrefix(name, "s_branch") || strings.HasPrefix(name, "s_cbranch_")) {
		if word, err := strconv.ParseUint(comment[max(0, len(comment)-8):], 16, 32); err == nil && word>>23 == 0xbf80>>7 {
			text = name + " " + strconv.Itoa(int(word&0xffff))
		}
	}
	return text + " " + comment
}

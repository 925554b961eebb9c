package sim

// Checks is a set of checks that run beside a kernel.
type Checks uint8

const (
	CheckWait Checks = 1 << iota
	CheckHazard
	CheckRace
	CheckMemory
	CheckInit
	CheckBarrier
	CheckAll Checks = 1<<iota - 1
)

// Finding is what a check found.
type Finding struct {
	Check   Checks // one bit
	Message string
	PC      uint64
	Where   string // symbol+offset
	Text    string // the instruction
	Source  string // file:line, if there is debug information
	Group   [3]uint32
	Wave    int
	Lane    int // -1: not of one lane
	Addr    uint64
	Other   string // the other access, if there is one
}

// shadow is what checks know of a region's bytes.
type shadow struct{}

type waveCheck struct{}

// lanes notes an access of lanes to their addresses in w.mem.addr.
func (c *waveCheck) lanes(w *wave, m *memInfo, lanes uint64) {}

type launchCheck struct{}

func newWaveCheck(w *wave) *waveCheck { return nil }
func (l *launch) startChecks()        {}
func (w *wave) checkStart()           {}
func (w *wave) checkEnd()             {}
func (g *group) checkBarrier()        {}

package weakmem

// Kind is the kind of a request.
type Kind uint8

const (
	Load   Kind = iota
	Store       // without a result
	Modify      // read, modify and write
	writes      // write back modified lines; see System.WriteBack
)

// Modifier modifies a line at the place where atomics are performed and returns
// a mask of the bytes that it has written. memory is set if the line is memory
// that other threads access.
type Modifier interface {
	ModifyLine(r *Request, line *Line, memory bool) uint64
}

// Operation counts the requests of an instruction that have not been performed.
type Operation struct {
	Left  int
	Owner Owner // is notified when the last one has been; may be nil
}

// Owner is notified of an operation whose requests have all been performed.
type Owner interface{ OperationDone() }

// Request accesses bytes of one line. The caller sets the
// fields before Done.
type Request struct {
	Line   uint64 // address
	Memory *Line  // the line's memory
	Mask   uint64 // bytes, one bit each
	Data   Line   // of a store; of a load after it has been performed
	Lanes  uint64 // for the caller
	Kind   Kind
	Policy Policy
	Modify Modifier   // of an atomic
	Op     *Operation // its count is decremented when the request has been performed
	Done   bool       // it has been performed

	// Constant is set if nothing writes the bytes of a load.
	Constant bool
	Rank     uint64 // for the caller

	queue        int32 // queue: CU, or scalar cache
	at           int32 // index in System.ready; negative if it waits for prev
	born         uint64
	held         uint64   // the time until which Step does not perform it
	prev, next   *Request // in the queue of the line
	older, newer *Request // in the list of all requests
	hash         *Request // next tail in the same bucket
}

const buckets = 64

// queues holds the queued requests of a CU or scalar cache: for each line the
// last one.
type queues struct{ tails [buckets]*Request }

func bucket(line uint64) int { return int(line/LineSize^line>>12) & (buckets - 1) }

// tail returns the last request of a line, or nil.
func (q *queues) tail(line uint64) *Request {
	for r := q.tails[bucket(line)]; r != nil; r = r.hash {
		if r.Line == line {
			return r
		}
	}
	return nil
}

// unlink removes a tail.
func (q *queues) unlink(r *Request) {
	for p := &q.tails[bucket(r.Line)]; *p != nil; p = &(*p).hash {
		if *p == r {
			*p = r.hash
			return
		}
	}
}

// push appends r to the queue of its line.
func (q *queues) push(r *Request) {
	if r.prev = q.tail(r.Line); r.prev != nil {
		r.prev.next = r
		q.unlink(r.prev)
	}
	b := &q.tails[bucket(r.Line)]
	r.hash, *b = *b, r
}

// written reports whether requests of a line that write it are queued.
func (q *queues) written(line uint64) bool {
	for r := q.tail(line); r != nil; r = r.prev {
		if r.Kind != Load {
			return true
		}
	}
	return false
}

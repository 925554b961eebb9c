package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/ar"
)

// streamFiles returns files with objects, with unreadable objects, with objects
// for another target, and without objects.
func streamFiles(t *testing.T) map[string][]byte {
	entries := smallEntries(t)
	n := len(entries)
	broken := entry{"hipv4-amdgcn-amd-amdhsa--gfx900:xnack+", slices.Clone(entries[1].data[:100])}
	return map[string][]byte{
		"bundle":  plainBundle(64, entries...),
		"broken":  plainBundle(64, append(slices.Clone(entries), broken)...),
		"target":  plainBundle(64, entries[0], entry{entries[n-1].id, entries[1].data}),
		"empty":   plainBundle(64),
		"host":    plainBundle(64, entries[0]),
		"object":  entries[1].data,
		"archive": slices.Concat([]byte(ar.Magic), arMember("b.hipfb/", plainBundle(64, entries...)), arMember("x.o/", entries[1].data)),
	}
}

func openStream(t *testing.T, data []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestWriteJSON compares the output of WriteJSON with the JSON of a File that
// has all reports.
func TestWriteJSON(t *testing.T) {
	for name, data := range streamFiles(t) {
		t.Run(name, func(t *testing.T) {
			whole, f := openStream(t, data), openStream(t, data)
			whole.Inspect()
			var want, got bytes.Buffer
			enc := json.NewEncoder(&want)
			enc.SetIndent("", jsonIndent)
			if err := errors.Join(enc.Encode(whole), f.WriteJSON(&got)); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("got %s\nwant %s", got.String(), want.String())
			}
			for i := range f.Entries {
				if f.Entries[i].Object != nil || (f.Entries[i].Summary == nil) != (whole.Entries[i].Summary == nil) {
					t.Errorf("entry %d: %+v", i, f.Entries[i])
				}
			}
		})
	}
}

// TestWriteTextSummarized compares the text of a File that has only summaries
// with the text of one that has all reports.
func TestWriteTextSummarized(t *testing.T) {
	for name, data := range streamFiles(t) {
		t.Run(name, func(t *testing.T) {
			whole, f := openStream(t, data), openStream(t, data)
			whole.Inspect()
			f.Summarize()
			var want, got bytes.Buffer
			if err := errors.Join(whole.WriteText(&want, ShowAll), f.WriteText(&got, ShowAll)); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("got %s\nwant %s", got.String(), want.String())
			}
		})
	}
}

// failingWriter accepts a number of bytes.
type failingWriter struct{ left int }

var errFull = errors.New("full")

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestStreamErrors writes to files that are full after each number of bytes.
func TestStreamErrors(t *testing.T) {
	data := streamFiles(t)["bundle"]
	var all bytes.Buffer
	if err := openStream(t, data).WriteJSON(&all); err != nil {
		t.Fatal(err)
	}
	for left := 0; left < all.Len(); left += 1 + all.Len()/50 {
		if err := openStream(t, data).WriteJSON(&failingWriter{left}); !errors.Is(err, errFull) {
			t.Errorf("after %d bytes of %d: %v", left, all.Len(), err)
		}
	}
}

// TestEntryQueue takes entries of several sizes, and checks their order and
// that together they fit the limit unless one is alone.
func TestEntryQueue(t *testing.T) {
	const mb = 1 << 20
	entries := []Entry{{Size: 20 * mb}, {Size: 4 * mb}, {Size: 4 * mb}, {Size: 1}, {}, {Size: 9 * mb}, {Size: 1}}
	q := newEntryQueue(entries, false)
	var lock sync.Mutex
	var busy, taken int
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i, ok := q.takeIndex(); ok; i, ok = q.takeIndex() {
				size := int(entries[i].Size)
				lock.Lock()
				busy += size
				if taken++; busy > maxReported && busy != size {
					t.Errorf("entry %d: %d bytes in work", i, busy)
				}
				lock.Unlock()
				runtime.Gosched()
				lock.Lock()
				busy -= size
				lock.Unlock()
				q.done(i)
			}
		})
	}
	wait.Wait()
	if taken != len(entries) {
		t.Errorf("%d entries of %d", taken, len(entries))
	}
}

package sheet

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"slices"
)

// Duplicates finds out whether any of many keys occurs twice, in constant memory: hashes of
// the keys, with their lines, are sorted in runs, which are written to a temporary file.
type Duplicates struct {
	// Dir is the directory of the file; empty means the default for temporary files.
	Dir string

	seeds [2]maphash.Seed
	most  int // maximum length of kept
	kept  []sighting
	file  *os.File
	runs  []int64 // the offsets of their ends
}

// sighting is 128 bits of a key's hash, and the line that has the key.
type sighting struct {
	id   [2]uint64
	line int64
}

const (
	sightingBytes = 24
	keptSightings = 1 << 20
)

func (a sighting) compare(b sighting) int {
	return cmp.Or(cmp.Compare(a.id[0], b.id[0]), cmp.Compare(a.id[1], b.id[1]), cmp.Compare(a.line, b.line))
}

// NewDuplicates returns a Duplicates without keys.
func NewDuplicates() *Duplicates {
	return &Duplicates{most: keptSightings, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
}

// Add adds a key, whose bytes it does not keep. The error is that of the file.
func (d *Duplicates) Add(key []byte, line int) error {
	if len(d.kept) == d.most {
		if err := d.spill(); err != nil {
			return err
		}
	}
	id := [2]uint64{maphash.Bytes(d.seeds[0], key), maphash.Bytes(d.seeds[1], key)}
	d.kept = append(d.kept, sighting{id, int64(line)})
	return nil
}

// spill writes the kept sightings to the file.
func (d *Duplicates) spill() (err error) {
	if d.file == nil {
		if d.file, err = os.CreateTemp(d.Dir, "hbasekv-keys-*"); err != nil {
			return err
		}
	}
	slices.SortFunc(d.kept, sighting.compare)
	w := bufio.NewWriterSize(d.file, 1<<16)
	var b [sightingBytes]byte
	for _, s := range d.kept {
		binary.LittleEndian.PutUint64(b[:], s.id[0])
		binary.LittleEndian.PutUint64(b[8:], s.id[1])
		binary.LittleEndian.PutUint64(b[16:], uint64(s.line))
		_, _ = w.Write(b[:]) // the buffer keeps its error
	}
	if err := w.Flush(); err != nil {
		return err
	}
	end := int64(len(d.kept)) * sightingBytes
	if n := len(d.runs); n > 0 {
		end += d.runs[n-1]
	}
	d.runs, d.kept = append(d.runs, end), d.kept[:0]
	return nil
}

// Find returns the first line whose key occurred before, as second, and the line of that
// first occurrence; found is false if no key occurs twice.
func (d *Duplicates) Find() (first, second int, found bool, err error) {
	slices.SortFunc(d.kept, sighting.compare)
	all, from := runs{}, int64(0)
	for _, end := range d.runs {
		all = append(all, &run{file: bufio.NewReader(io.NewSectionReader(d.file, from, end-from))})
		from = end
	}
	all, err = append(all, &run{kept: d.kept}).started()
	if err != nil {
		return 0, 0, false, err
	}
	var before sighting
	for n := 0; len(all) > 0; n++ {
		s := all[0].now
		if n > 0 && s.id == before.id && (!found || int(s.line) < second) {
			first, second, found = int(before.line), int(s.line), true
		}
		before = s
		if more, err := all[0].next(); err != nil {
			return 0, 0, false, err
		} else if more {
			heap.Fix(&all, 0)
		} else {
			heap.Pop(&all)
		}
	}
	return first, second, found, nil
}

// runs is a heap of runs that have a sighting, the smallest first.
type runs []*run

// started are the runs that have a sighting.
func (r runs) started() (runs, error) {
	var some runs
	for _, each := range r {
		if more, err := each.next(); err != nil {
			return nil, err
		} else if more {
			some = append(some, each)
		}
	}
	heap.Init(&some)
	return some, nil
}

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return r[i].now.compare(r[j].now) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)        { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// run is sightings in order: those kept, or those of a part of the file.
type run struct {
	kept []sighting
	file *bufio.Reader
	now  sighting
}

// next moves to the next sighting, if there is one.
func (r *run) next() (bool, error) {
	if r.file == nil {
		if len(r.kept) == 0 {
			return false, nil
		}
		r.now, r.kept = r.kept[0], r.kept[1:]
		return true, nil
	}
	var b [sightingBytes]byte
	if _, err := io.ReadFull(r.file, b[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, err
	}
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	r.now = sighting{[2]uint64{number(0), number(8)}, int64(number(16))}
	return true, nil
}

// Close removes the file.
func (d *Duplicates) Close() error {
	if d.file == nil {
		return nil
	}
	err := errors.Join(d.file.Close(), os.Remove(d.file.Name()))
	d.file = nil
	return err
}

package main

import (
	"bytes"
	"container/heap"
	"context"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// Tables as a load leaves them are partly in memory and partly in files of
// several levels: nothing is flushed or compacted before they are read.

// loadedStage has reads of rows, short scans and inserts on such tables. YCSB's
// is as large as the main one.
func loadedStage(cells int) stage {
	d, records := dataset{cells, 100}, dataset{cells * 10, 100}
	workloads := append(pointReads(d), named(rangeReads(d), "scan, LIMIT 100")...)
	workloads = append(workloads, inserts(records)...)
	workloads = append(workloads, scatteredInserts(d)...)
	return stage{
		label: d.label() + " as loaded", data: records, asLoaded: true,
		tables:    []table{d.main(), d.log(), records.records(), d.scattered()},
		workloads: append(workloads, named(ycsb(records), "YCSB E, short scans, 5 % insert")...),
	}
}

// openPebbleParts opens Pebble itself, and divides tables into partitions by a
// hash of K. Ordered scans seek in each of them.
func openPebbleParts(partitions int) func(dir string, durable bool) (store, error) {
	return func(dir string, durable bool) (store, error) {
		s, err := openPebble(dir, durable)
		if err != nil {
			return nil, err
		}
		return &hashedStore{s.(*rawStore), partitions}, nil
	}
}

type hashedStore struct {
	*rawStore
	partitions int
}

func (s *hashedStore) connect() session {
	return &hashedSession{rawSession: &rawSession{store: s.rawStore}, partitions: s.partitions, names: map[string][]string{}}
}

type hashedSession struct {
	*rawSession
	partitions int
	names      map[string][]string // of a table's partitions
	parts      rawMerge
}

func (s *hashedSession) of(table string) []string {
	if s.names[table] == nil {
		s.names[table] = rawNames(table, s.partitions)
	}
	return s.names[table]
}

func (s *hashedSession) write(w *writing, table string, cells ...cell) error {
	return s.rawSession.write(w, s.of(table)[rawPartition(cells[0].k, s.partitions)], cells...)
}

func (s *hashedSession) read(ctx context.Context, r *reading, what scan, to *sink) error {
	part, names := *r, s.of(r.table)
	switch {
	case what.limit > 0:
		return s.limited(names, what, to)
	case what.to != nil && bytes.Equal(what.to, after(what.from)):
		part.table = names[rawPartition(what.from, s.partitions)]
		return s.rawSession.read(ctx, &part, what, to)
	}
	return (&rawPartsSession{s.rawSession, names}).read(ctx, r, what, to)
}

// limited seeks in each partition with one iterator and buffers its share of the
// limit and one more row; a partition whose buffer is empty is read again.
func (s *hashedSession) limited(names []string, what scan, to *sink) error {
	it, err := s.store.db.NewIter(nil)
	if err != nil {
		return err
	}
	defer it.Close()
	m := &s.parts
	m.heap, m.bytes, m.cells, m.skip = m.heap[:0], m.bytes[:0], m.cells[:0], len(names[0])+1
	m.most = what.limit/len(names) + columns
	for _, name := range names {
		p := rawPart{lower: append(rawPrefix(nil, name), what.from...), upper: append([]byte(name), 1)}
		if m.fill(it, &p) {
			m.heap = append(m.heap, p)
		}
	}
	heap.Init(m)
	f := what.folder(to)
	defer f.finish()
	for len(m.heap) > 0 {
		p := &m.heap[0]
		c := rawCell(p.ahead[0].key, m.skip)
		c.v = p.ahead[0].value
		if !f.add(c) {
			break
		}
		if p.ahead = p.ahead[1:]; len(p.ahead) > 0 || p.more && m.fill(it, p) {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	return it.Error()
}

// rawMerge is a heap of partitions, ordered by their next cells.
type rawMerge struct {
	heap  []rawPart
	skip  int // bytes of a key before K
	most  int // cells of a partition read at a time
	cells []rawAhead
	bytes []byte
}

type rawPart struct {
	lower, upper []byte
	ahead        []rawAhead
	more         bool // the partition may have more cells
}

type rawAhead struct{ key, value []byte }

// fill reads the next cells of a partition, and reports whether there are any.
func (m *rawMerge) fill(it *pebble.Iterator, p *rawPart) bool {
	from := len(m.cells)
	p.more = false
	for ok := it.SeekGE(p.lower); ok && bytes.Compare(it.Key(), p.upper) < 0; ok = it.Next() {
		if p.more = len(m.cells) == from+m.most; p.more {
			p.lower = bytes.Clone(it.Key())
			break
		}
		m.cells = append(m.cells, rawAhead{m.keep(it.Key()), m.keep(it.Value())})
	}
	p.ahead = m.cells[from:]
	return len(p.ahead) > 0
}

func (m *rawMerge) keep(b []byte) []byte {
	m.bytes = append(m.bytes, b...)
	return slices.Clip(m.bytes[len(m.bytes)-len(b):])
}

func (m *rawMerge) Len() int { return len(m.heap) }
func (m *rawMerge) Less(i, j int) bool {
	return bytes.Compare(m.heap[i].ahead[0].key[m.skip:], m.heap[j].ahead[0].key[m.skip:]) < 0
}
func (m *rawMerge) Swap(i, j int) { m.heap[i], m.heap[j] = m.heap[j], m.heap[i] }
func (m *rawMerge) Push(x any)    { m.heap = append(m.heap, x.(rawPart)) }
func (m *rawMerge) Pop() any {
	last := m.heap[len(m.heap)-1]
	m.heap = m.heap[:len(m.heap)-1]
	return last
}

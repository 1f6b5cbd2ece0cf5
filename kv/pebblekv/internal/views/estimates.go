package views

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// estimates remembers estimates: making one takes as long as reading some ten thousand
// cells, and the same one is often needed again.
type estimates struct {
	files atomic.Uint64 // how often the files have changed

	mu    sync.Mutex
	known map[string]known
	key   []byte
}

// known is an estimate and what it was made from.
type known struct {
	kv.Estimate
	tables  []*kv.Table
	files   uint64
	entries uint64 // written so far
	made    int64  // ms
}

const (
	// mostKnown is how many estimates are remembered, of scans whose description takes
	// up to longestKnown bytes.
	mostKnown    = 1 << 10
	longestKnown = 2 << 10
	// knownFor is for how many milliseconds an estimate is reused: versions expire by
	// themselves.
	knownFor = 60_000
	// growth is the part of its cells by which a store may have grown meanwhile.
	growth = 8
)

// FilesChanged notes that a file has been added or removed, or that cells were removed
// that were not written again.
func (e *Engine) FilesChanged() { e.estimates.files.Add(1) }

// Recall returns an earlier estimate, if it still applies.
func (v *View) Recall(tables []*kv.Table, s *kv.Scan, o *kv.EstimateOptions, now int64) (known, bool) {
	e := &v.Engine.estimates
	made := known{files: e.files.Load(), entries: v.Engine.Fresh.count.Load(), made: now, tables: tables}
	if isNameless(o) {
		return made, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.key = appendDependencies(e.key[:0], tables, s, o)
	k, ok := e.known[string(e.key)]
	grown := made.entries - k.entries
	serves := ok && slices.Equal(k.tables, tables) && k.files == made.files && now-k.made < knownFor &&
		(grown == 0 || !k.Exact && grown <= uint64(k.Stored)/growth)
	if serves {
		return k, true
	}
	return made, false
}

// Remember stores an estimate.
func (v *View) Remember(k known, s *kv.Scan, o *kv.EstimateOptions) {
	e := &v.Engine.estimates
	if isNameless(o) {
		return
	}
	key := appendDependencies(nil, k.tables, s, o)
	if len(key) > longestKnown {
		return
	}
	k.tables = slices.Clone(k.tables)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil || len(e.known) >= mostKnown {
		e.known = map[string]known{}
	}
	e.known[string(key)] = k
}

// isNameless reports whether an equal estimate could not be recognised.
func isNameless(o *kv.EstimateOptions) bool {
	return o.Name == "" && (o.Keeps != nil || len(o.Keys) > 0)
}

// appendDependencies appends what an estimate depends on besides the state of the store.
func appendDependencies(key []byte, tables []*kv.Table, s *kv.Scan, o *kv.EstimateOptions) []byte {
	key = binary.AppendVarint(key, int64(o.Cells))
	key = appendPart(key, []byte(o.Name))
	for _, t := range tables {
		key = append(appendPart(appendPart(key, []byte(t.Database)), []byte(t.Name)), boolByte(s.NeedValue))
	}
	key = appendCount(key, len(s.Ranges), s.Ranges == nil)
	for i := range s.Ranges {
		key = appendPosition(appendPosition(key, &s.Ranges[i].Start), &s.Ranges[i].End)
	}
	key = appendCount(key, len(s.Qualifiers), s.Qualifiers == nil)
	for _, q := range s.Qualifiers {
		key = appendPart(appendPart(key, q.Start), q.End)
	}
	key = append(key, boolByte(s.Time.Bounded))
	for _, n := range [...]int64{s.Time.Min, s.Time.Max, int64(s.MaxVersions)} {
		key = binary.AppendVarint(key, n)
	}
	for _, list := range [...][]int{s.Partitions, s.Slices, s.Leaves} {
		key = appendCount(key, len(list), list == nil)
		for _, n := range list {
			key = binary.AppendVarint(key, int64(n))
		}
	}
	return appendPart(appendPart(key, s.Rows.Start), s.Rows.End)
}

func appendPosition(key []byte, p *kv.Position) []byte {
	key = append(key, byte(p.Depth), boolByte(p.After))
	return binary.AppendVarint(appendPart(appendPart(key, p.Row), p.Qualifier), p.Timestamp)
}

// appendPart appends bytes with their length, so that they are distinct from what follows.
func appendPart(key, part []byte) []byte {
	return append(appendCount(key, len(part), part == nil), part...)
}

// appendCount appends a number, or -1 for none at all.
func appendCount(key []byte, n int, none bool) []byte {
	if none {
		n = -1
	}
	return binary.AppendVarint(key, int64(n))
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

package scan

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// In salted rows, the bucket's byte comes first: the rows of one bucket are in the order of the
// bytes after it. If the spans are in few buckets, rows in the order of UNSALT(K) or SUBSTRING(K,
// 2) are a merge of one scan for each bucket, which LIMIT stops early and which needs no memory; a
// sort would read all of them first.

// maxMerged limits the cursors of the merge: each costs a few seeks.
const maxMerged = 1024

// mergeBuckets returns the rows of s in the desired order, or by its first keys, if a merge of its
// buckets provides it; otherwise nil. FOR UPDATE locks the first row of each bucket before it is
// returned, which is fewer than a sort locks.
func (s *Scan) mergeBuckets(want op.Desired) *bucketMerge {
	leading := s.Access.mergesBuckets(want)
	if len(want.Together) > 0 || want.OnePerRow || want.Sequenced || leading == 0 {
		return nil
	}
	if s.Empty() || s.Con.Access() != constrain.AccessRange {
		return nil
	}
	want.Order = want.Order[:leading]
	m := &bucketMerge{base: s}
	cursors := 0
	for _, ranges := range ordering.Buckets(s.Con.Ranges) {
		part, g := s.within(ranges, want)
		if g.Ordered {
			g.Leading = leading
		}
		leading = min(leading, g.Leading)
		if cursors += part.cursors(); leading == 0 || cursors > maxMerged {
			return nil
		}
		m.parts = append(m.parts, &mergePart{scan: part, rows: op.Input{Operator: part}, ordinal: len(m.parts)})
	}
	if len(m.parts) == 0 {
		return nil
	}
	s.StoreScan.Ordered, s.StoreScan.Reverse = true, m.parts[0].scan.StoreScan.Reverse
	s.mergedBuckets, m.by = len(m.parts), want.Order[:leading]
	return m
}

// mergesBuckets is the number of the first desired keys in whose order a merge may return rows.
func (a *Access) mergesBuckets(want op.Desired) int {
	o := ordering.Of(&a.Columns)
	leading := o.MergesBuckets(want.Order)
	if leading < len(want.Order) && want.Leading != op.LeadsFirst {
		return 0
	}
	return leading
}

// within returns the part of the scan in a bucket.
func (s *Scan) within(ranges []kv.Range, want op.Desired) (*Scan, op.Provided) {
	part, con := *s, *s.Con
	con.Ranges = ranges
	part.Con = &con
	return &part, part.plan(want)
}

// cursors is the number of partitions that the scan reads at a time.
func (s *Scan) cursors() int {
	if s.Tables[0].Partitioning.Ordered() {
		return 1
	}
	return len(s.RowPartitions())
}

// bucketMerge merges the rows of several scans that are in the same order. It only needs memory for
// one row of each scan.
type bucketMerge struct {
	base  *Scan // reads nothing itself
	by    []ordering.Key
	parts []*mergePart
	// heads are the parts with a row that has not been returned, as a heap; if given is set, the
	// first one's has been.
	heads  []*mergePart
	opened bool
	given  bool
}

// mergePart is a scan with its next row, which stays valid until the scan moves on.
type mergePart struct {
	scan      *Scan
	rows      op.Input
	ordinal   int
	row, keys []value.Value
}

func (m *bucketMerge) Env() *expr.Env { return m.base.Env() }

func (m *bucketMerge) Next(int) (*kernel.Batch, error) {
	if err := m.advance(); err != nil || len(m.heads) == 0 {
		return nil, err
	}
	copy(m.frame(), m.heads[0].row)
	m.given = true
	m.base.given++
	return op.OneRow, nil
}

// advance moves the part with the next row to the top.
func (m *bucketMerge) advance() error {
	if !m.opened {
		m.opened = true
		return m.openAll()
	}
	if !m.given {
		return nil
	}
	m.given = false
	ok, err := m.fetch(m.heads[0])
	switch {
	case err != nil:
		return err
	case ok:
		heap.Fix(m, 0)
	default:
		heap.Pop(m)
	}
	return nil
}

func (m *bucketMerge) openAll() error {
	for _, p := range m.parts {
		ok, err := m.fetch(p)
		if err != nil {
			return err
		}
		if ok {
			m.heads = append(m.heads, p)
		}
	}
	heap.Init(m)
	return nil
}

// fetch reads the part's next row.
func (m *bucketMerge) fetch(p *mergePart) (bool, error) {
	ok, err := p.rows.Row(1)
	if !ok || err != nil {
		return false, err
	}
	p.row = append(p.row[:0], m.frame()...)
	p.keys = p.keys[:0]
	for _, k := range m.by {
		v, err := k.Expr.Eval(m.Env())
		if err != nil {
			return false, err
		}
		p.keys = append(p.keys, v)
	}
	return true, nil
}

// frame returns the relation's columns in the frame.
func (m *bucketMerge) frame() []value.Value {
	a := m.base.Access
	return m.Env().Row[a.First : a.First+a.Width]
}

func (m *bucketMerge) compare(a, b *mergePart) int {
	for i, k := range m.by {
		c := value.Order(a.keys[i], b.keys[i])
		if k.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(a.ordinal, b.ordinal)
}

func (m *bucketMerge) Close() error { return op.CloseAll(m.parts) }

func (p *mergePart) Close() error { return p.scan.Close() }

func (m *bucketMerge) Step() *explain.Step {
	m.base.StoreScan.Limit = m.parts[0].scan.StoreScan.Limit
	out := m.base.Step()
	for _, p := range m.parts {
		out.Stats = AddStats(out.Stats, p.scan.Stats())
	}
	return out
}

// The methods of heap.Interface.

func (m *bucketMerge) Len() int           { return len(m.heads) }
func (m *bucketMerge) Less(i, j int) bool { return m.compare(m.heads[i], m.heads[j]) < 0 }
func (m *bucketMerge) Swap(i, j int)      { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *bucketMerge) Push(p any)         { m.heads = append(m.heads, p.(*mergePart)) }

func (m *bucketMerge) Pop() any {
	last := len(m.heads) - 1
	out := m.heads[last]
	m.heads = slices.Delete(m.heads, last, last+1)
	return out
}

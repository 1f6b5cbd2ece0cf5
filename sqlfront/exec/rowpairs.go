package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// joinSide is a side of a rowJoin, whose present row is of a batch or came by itself.
type joinSide struct {
	source
	reader     *batchReader // nil where rows come one by one
	first, end int          // the frame's columns
	key        int          // that of K
	ended      bool
	batch      *kernel.Batch
	keys       *value.Vector
	at         int  // among the batch's rows
	single     bool // the present row is row
	row        spill.RowBuffer
	partition  partitionOf // of the present row
}

func (s *joinSide) begin() {
	if s.reader = readBatches(s.source); s.reader != nil {
		s.source = s.reader
	}
}

// ready reads on where there is no present row, and reports whether there is one then.
func (s *joinSide) ready() (bool, error) {
	if s.isReady() {
		return !s.ended, nil
	}
	s.batch = nil
	if s.reader != nil {
		b, err := s.reader.nextBatch()
		if err != nil {
			return false, err
		}
		if b != nil {
			s.batch, s.at, s.keys = b, 0, b.ColumnOf(s.key)
			s.partition.known = false
			return true, nil
		}
	}
	ok, err := s.source.next()
	if !ok || err != nil {
		s.ended = err == nil
		return false, err
	}
	s.row.Set(s.env().Row[s.first:s.end])
	s.single, s.partition.known = true, false
	return true, nil
}

// isReady reports whether nothing has to be read: there is a present row, or no more.
func (s *joinSide) isReady() bool { return s.ended || s.single || s.inBatch() }

func (s *joinSide) inBatch() bool { return s.batch != nil && s.at < len(s.batch.Rows) }

// rowKey is the K of the present row.
func (s *joinSide) rowKey() []byte {
	if s.single {
		return s.row.Row[s.key-s.first].Raw()
	}
	return s.keys.Bytes[s.batch.Rows[s.at]]
}

// load puts the present row into the frame.
func (s *joinSide) load() {
	if s.single {
		copy(s.env().Row[s.first:s.end], s.row.Row)
		return
	}
	s.batch.Load(s.batch.Rows[s.at], s.env().Row)
}

// step goes behind the present row.
func (s *joinSide) step() {
	s.partition.known = false
	if s.single {
		s.single = false
		return
	}
	s.at++
}

// pass goes behind all rows that have been read.
func (s *joinSide) pass() {
	s.single, s.batch = false, nil
}

// pairs are the rows of a batch of a rowJoin: rows of a left batch, and of a right one
// those that have their keys, -1 for none.
type pairs struct {
	lefts, rights []int32
	l, r          *kernel.Batch
	out           *kernel.Batch
	matched       []int32
	rest          kernel.Filter // nil where nothing else is asked
	given         int
}

// newPairs is nil where a side has no batches, or the condition is for rows.
func (j *rowJoin) newPairs() *pairs {
	l, r := j.l.reader, j.r.reader
	if l == nil || r == nil || kindOf(l.schema, j.l.key) != value.Bytes || kindOf(r.schema, j.r.key) != value.Bytes {
		return nil
	}
	p := &pairs{}
	schema := append(l.schema[:len(l.schema):len(l.schema)], r.schema...)
	p.out = kernel.NewBatch(schema, func(at int, v *value.Vector) {
		switch at -= len(l.schema); {
		case at < 0:
			gatherRows(v, p.l.Column(at+len(l.schema)), p.lefts)
		case p.r != nil:
			gatherRows(v, p.r.Column(at), p.rights)
		default:
			gatherRows(v, nil, p.rights)
		}
	})
	if j.rest != nil {
		c := &kernel.Compiler{Schema: schema, Env: j.env()}
		if p.rest = c.Condition(j.rest); p.rest == nil {
			return nil
		}
	}
	return p
}

func kindOf(s kernel.Schema, index int) value.Kind {
	for _, f := range s {
		if f.Index == index {
			return f.Kind
		}
	}
	return value.Null
}

// gatherRows sets a vector to the values of another one at some rows, NULL at -1.
func gatherRows(to, of *value.Vector, rows []int32) {
	for at, i := range rows {
		switch {
		case i < 0:
			to.SetNull(int32(at))
		case of.Kind == value.Bytes:
			to.Bytes[at] = of.Bytes[i]
		default:
			to.Set(int32(at), of.At(i))
		}
	}
}

// left is the number of pairs that are to be given one by one.
func (p *pairs) left() int {
	if p == nil {
		return 0
	}
	return len(p.lefts) - p.given
}

// find pairs the rows of both sides' batches until one of them ends.
func (p *pairs) find(j *rowJoin) {
	l, r := j.l, j.r
	p.l, p.r, p.given = l.batch, r.batch, 0
	p.lefts, p.rights = p.lefts[:0], p.rights[:0]
	for l.inBatch() && (r.ended || r.inBatch()) {
		c := j.compare()
		if c > 0 {
			r.step()
			continue
		}
		if c == 0 {
			p.lefts, p.rights = append(p.lefts, l.batch.Rows[l.at]), append(p.rights, r.batch.Rows[r.at])
		} else if j.Outer {
			p.lefts, p.rights = append(p.lefts, l.batch.Rows[l.at]), append(p.rights, -1)
		}
		l.step()
	}
	p.out.Start(len(p.lefts))
}

// narrow drops the pairs that the rest of the condition does not let through, or what
// they have of the right side. Where it cannot be evaluated as a whole, the pairs are
// left to be given one by one.
func (p *pairs) narrow(j *rowJoin) bool {
	p.given = len(p.lefts)
	if p.rest == nil {
		return len(p.lefts) > 0
	}
	p.matched = p.matched[:0]
	for i, r := range p.rights {
		if r >= 0 {
			p.matched = append(p.matched, int32(i))
		}
	}
	rows, ok := p.rest.Narrow(p.out, p.matched)
	switch {
	case !ok:
		p.given = 0
		return false
	case j.Outer:
		p.keep(rows)
	default:
		p.out.Rows = append(p.out.Rows[:0], rows...)
	}
	return len(p.out.Rows) > 0
}

// keep makes pairs without a right row of all but some.
func (p *pairs) keep(rows []int32) {
	for i := range p.rights {
		if len(rows) > 0 && rows[0] == int32(i) {
			rows = rows[1:]
		} else {
			p.rights[i] = -1
		}
	}
	p.out.Start(len(p.lefts))
}

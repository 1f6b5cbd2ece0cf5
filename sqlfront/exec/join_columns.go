package exec

import "github.com/hbasekv/hbasekv/sqlfront/kernel"

// What the reader of a join's batches does not read, and the join does not either, is left
// out of the batches of its sides, and of its pairs. All cells of a table joined with
// themselves on K and Q, of which T and V of one side are read, take 0.82 of the processor
// time so, and as they are paired many at a time and stay where they are.

// readFor leaves out what nobody reads; of a semi join, on the left side.
func (j *rowJoin) readFor(above columnReader) {
	j.above = above
	j.l.reader.readFor(j)
	if j.gives == inPairs {
		j.r.reader.readFor(j)
		j.pairs.above = j
	}
}

func (j *rowJoin) columnsRead() columnSet {
	c := j.above.columnsRead().union(j.l.columnsRead())
	if j.gives == inPairs {
		c = c.union(j.r.columnsRead())
	}
	if j.rest != nil {
		c = c.reading(j.rest)
	}
	return c
}

func (s *joinSide) columnsRead() (c columnSet) {
	for _, key := range s.keys {
		c = c.add(key)
	}
	return c
}

func (j *keptJoin) readFor(above columnReader) {
	j.above = above
	j.pairs.reader.readFor(j)
	j.pairs.above = j
}

func (j *keptJoin) columnsRead() columnSet {
	c := j.above.columnsRead().reading(j.LeftKeys...)
	if j.On != nil {
		c = c.reading(j.On)
	}
	return c
}

func (j *mergeJoin) readFor(above columnReader) { j.rows.readFor(above) }

func (j *choosingJoin) readFor(above columnReader) {
	if j.rows != nil {
		j.rows.readFor(above)
	} else {
		j.kept.readFor(above)
	}
}

func (a *readAhead) readFor(above columnReader) { a.reader.readFor(above) }

// leaveOut leaves out what is not read.
func (p *pairs) leaveOut(read columnSet) {
	for at, f := range p.out.Schema() {
		if f.Index != kernel.NoIndex && !read.has(f.Index) {
			p.out.LeaveOut(at)
		}
	}
}

package join

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hashPairs are the pairs of a hashJoin. If few left rows join, the others are skipped without
// reading them one by one.
type hashPairs struct {
	*kernel.Pairs      // nil before the first left batch
	pipeline.Evaluated // left batches with their keys
	op.Finder
}

// startPairs starts reading the left side in batches.
func (j *hashJoin) startPairs() {
	p := &hashPairs{}
	p.In = &j.left
	p.Compile = func(c *kernel.Compiler) ([]kernel.Kernel, bool) {
		keys, ok := c.CompileAll(j.LeftKeys)
		if ok {
			p.Pairs = j.newPairs(c.Schema, keys)
		}
		return keys, p.Pairs != nil
	}
	j.pairs = p
}

// newPairs makes pairs with left rows, or returns nil if the condition must be evaluated row by
// row.
func (j *hashJoin) newPairs(left kernel.Schema, keys []kernel.Kernel) *kernel.Pairs {
	var right kernel.Schema
	for _, c := range j.Kept {
		right = append(right, kernel.Field{Index: c, Kind: j.kindOf(c)})
	}
	out := kernel.NewPairs(left, right, j, j.besides(keys), j.Env())
	if out != nil && j.above != nil {
		out.Above = j
	}
	return out
}

// besides returns what the condition requires of rows with equal keys, besides the equalities of
// columns that the keys imply.
func (j *hashJoin) besides(keys []kernel.Kernel) expr.Node {
	rest := j.On
	for i, k := range keys {
		l, plainLeft := j.LeftKeys[i].(*expr.Column)
		r, plainRight := j.RightKeys[i].(*expr.Column)
		if plainLeft && plainRight && k.Kind() != value.Null && k.Kind() == j.kindOf(r.Index) {
			rest, _ = Without(rest, l.Index, r.Index)
		}
	}
	return rest
}

// kindOf returns the kind of a column of rows in memory, if all its values are of one kind that
// vectors have.
func (j *hashJoin) kindOf(column int) value.Kind {
	return op.VectorKind(j.rows.KindOf(slices.Index(j.Kept, column)))
}

// Column implements kernel.RightRows.
func (j *hashJoin) Column(at int, rows []int32, v *value.Vector) *value.Vector {
	v.Start(v.Kind, len(rows))
	j.rows.Fill(v, at, rows)
	return v
}

// nextBatch returns the next pairs, or nil if a left row is to be joined by itself.
func (j *hashJoin) nextBatch() (*kernel.Batch, error) {
	if j.pairs == nil {
		j.startPairs()
	}
	p := j.pairs
	j.onLeft = j.onLeft && (j.found.Len() > 0 || j.all != nil)
	for !j.onLeft && !j.over {
		if p.Batch == nil {
			if ok, err := p.Read(); !ok || err != nil {
				return nil, err
			}
			p.Find(j.rows, p.Vectors, p.Batch.Rows)
		}
		from := p.At
		j.find()
		if err := j.x.Ticks(1 + p.Len()); err != nil {
			return nil, err
		}
		if p.At == from || !p.Narrow(j.Outer) {
			p.oneByOne(from)
			return nil, nil
		}
		if p.At == len(p.Batch.Rows) {
			p.Batch = nil
		}
		if len(p.Out.Rows) > 0 {
			return p.Out, nil
		}
	}
	return nil, nil
}

// oneByOne puts the left rows from one on back, to be read one by one.
func (p *hashPairs) oneByOne(from int) {
	p.In.PutBack(p.Batch)
	p.In.At, p.Batch = from, nil
}

// fewPartners is the number of partners up to which all are compared with a left row that needs
// only the first that joins it.
const fewPartners = 16

// find pairs left rows with theirs until there are enough. A left row with more pairs than that is
// joined row by row.
func (j *hashJoin) find() {
	p, enough := j.pairs, j.x.Context.BatchSize()
	most := enough
	if j.Anti {
		most = min(most, fewPartners)
	}
	p.Start(p.Batch)
	for ; p.At < len(p.Batch.Rows) && p.Len() < enough; p.At++ {
		row, found := p.Batch.Rows[p.At], p.Found[p.At]
		if int(found.Len) > most {
			break
		}
		if found.Len == 0 && j.Outer {
			p.Add(row, -1)
		}
		for ; found.Len > 0; found = j.rows.After(found) {
			p.Add(row, found.First)
		}
	}
	p.End()
}

func (j *hashJoin) ReadFor(above kernel.Reader) { j.above = above }

// ColumnsRead implements kernel.Reader.
func (j *hashJoin) ColumnsRead() kernel.Columns {
	c := op.ReadOf(j.above).Reading(j.LeftKeys...)
	for _, n := range []expr.Node{j.On, j.Sure} {
		if n != nil {
			c = c.Reading(n)
		}
	}
	return c
}

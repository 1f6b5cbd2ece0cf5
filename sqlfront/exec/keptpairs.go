package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// nextOfPairs is nextOf where left rows may come in batches: where few of them join, the
// others are not read one by one up to the next that does. A join of 100,000 pivots, of
// which whole stretches of K do not join, takes 72 ms of processor time on two
// goroutines so, and 81 otherwise.
func (j *keptJoin) nextOfPairs() (bool, error) {
	for {
		if err := j.x.tick(); err != nil {
			return false, err
		}
		if !j.onLeft {
			if ok, err := j.pairs.load(j); ok || err != nil {
				return ok, err
			}
			if ok, err := j.nextLeft(j); !ok || err != nil {
				return false, err
			}
		}
		if ok, err := j.nextRight(j); ok || err != nil {
			return ok, err
		}
	}
}

// load puts the next pair of a batch into the frame, or reports false where a left row
// is to be joined by itself.
func (p *keptPairs) load(j *keptJoin) (bool, error) {
	if !p.giving {
		b, err := j.nextBatch()
		if b == nil || err != nil {
			return false, err
		}
		p.giving, p.loaded = true, 0
	}
	p.Out.Load(p.Out.Rows[p.loaded], j.env().Row)
	p.loaded++
	p.giving = p.loaded < len(p.Out.Rows)
	return true, nil
}

// keptPairs are the pairs of a keptJoin.
type keptPairs struct {
	*kernel.Pairs
	evaluated // left batches, with the keys
	finder
	// giving says that next has given the first loaded pairs of the batch, not all.
	giving bool
	loaded int
}

// batches makes a join with rows in memory read and give batches.
func (j *keptJoin) batches() kernel.Schema {
	if j.prepareOnce() != nil || !j.shares() || j.unsure {
		return nil
	}
	if j.pairs == nil {
		j.left = inBatches(j.left)
		if j.pairs = j.newPairs(); j.pairs == nil {
			return nil
		}
		j.pairs.reader.rowwise = false
	}
	return j.pairs.Out.Schema()
}

func (j *keptJoin) newPairs() *keptPairs {
	r, ok := j.left.(*batchReader)
	if !ok {
		return nil
	}
	keys, ok := r.compiler().CompileAll(j.LeftKeys)
	if !ok {
		return nil
	}
	out := &keptPairs{evaluated: evaluated{reader: r, kernels: keys}}
	var right kernel.Schema
	for _, c := range j.Kept {
		right = append(right, kernel.Field{Index: c, Kind: j.kindOf(c)})
	}
	if out.Pairs = kernel.NewPairs(r.schema, right, j, j.besides(keys), r.env()); out.Pairs == nil {
		return nil
	}
	return out
}

// besides is what the condition asks of rows that have the same keys, beside the equality of
// columns that these say: a pivot joined with 11,000 rows of another on a column, where K
// differs, takes 0.91 of the processor time so.
func (j *keptJoin) besides(keys []kernel.Kernel) expr.Node {
	rest := j.On
	for i, k := range keys {
		l, plainLeft := j.LeftKeys[i].(*expr.Column)
		r, plainRight := j.RightKeys[i].(*expr.Column)
		if plainLeft && plainRight && k.Kind() != value.Null && k.Kind() == j.kindOf(r.Index) {
			rest, _ = without(rest, l.Index, r.Index)
		}
	}
	return rest
}

// kindOf is the kind of a column of rows in memory, where all its values are of one kind
// that vectors have.
func (j *keptJoin) kindOf(column int) value.Kind {
	return vectorKind(j.rows.KindOf(slices.Index(j.Kept, column)))
}

// Column implements kernel.RightRows.
func (j *keptJoin) Column(at int, rows []int32, v *value.Vector) *value.Vector {
	v.Start(v.Kind, len(rows))
	j.rows.Fill(v, at, rows)
	return v
}

// nextBatch begins with what next has left of a batch.
func (j *keptJoin) nextBatch() (*kernel.Batch, error) {
	p := j.pairs
	if p.giving {
		p.giving = false
		p.Out.Skip(p.loaded)
		return p.Out, nil
	}
	j.onLeft = j.onLeft && (j.found.Len() > 0 || j.all != nil)
	for !j.onLeft && !j.over {
		if p.batch == nil {
			if ok, err := p.read(); !ok || err != nil {
				return nil, err
			}
			p.find(j.rows, p.vectors, p.batch.Rows)
		}
		from := p.at
		j.find()
		if err := j.x.ticks(1 + p.Len()); err != nil {
			return nil, err
		}
		if p.at == from || !p.Narrow(j.Outer) {
			p.oneByOne(from)
			return nil, nil
		}
		if p.at == len(p.batch.Rows) {
			p.batch = nil
		}
		if len(p.Out.Rows) > 0 {
			return p.Out, nil
		}
	}
	return nil, nil
}

// oneByOne has the left rows from one on come one by one.
func (p *keptPairs) oneByOne(from int) {
	p.reader.putBack(p.batch)
	p.reader.at, p.batch = from, nil
}

// fewPartners is up to how many partners are all compared with a left row that is done with
// the first that joins it. The latest cells of each of 1,000 values, of 100,000 cells, take
// 119 ms of processor time so, and 402 with all partners.
const fewPartners = 16

// find pairs left rows with theirs until these are enough. The pairs of one left row
// that are more than enough come one by one.
func (j *keptJoin) find() {
	p, enough := j.pairs, j.x.c.batchSize()
	most := enough
	if j.Anti {
		most = min(most, fewPartners)
	}
	p.Start(p.batch)
	for ; p.at < len(p.batch.Rows) && p.Len() < enough; p.at++ {
		row, found := p.batch.Rows[p.at], p.found[p.at]
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

package pipeline

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Results gives the rows of a statement with a condition, over cells, pivots or joins. Several
// goroutines begin with the parts of the scan, each until it has some rows; what a part has left is
// read when its turn comes. A selective statement is so read on all processors, in bounded memory.
type Results struct {
	*Project
	x        *op.Frame
	row      expr.Env // where it is one of a part
	parallel *Rows
	begun    bool
	part     int
}

// The bounds of what is read of a part before its turn, in rows and in bytes.
const (
	aheadRows  = 1024
	aheadBytes = 256 << 10
)

// prefetched keeps the first rows of a part.
type prefetched struct {
	rows    [][]value.Value
	kept    rowmem.Arena
	account spill.Account
	bytes   int
	at      int
	told    bool // what the part warned of
}

func (k *prefetched) Keep(row []value.Value) (bool, error) {
	size := spill.Size(row)
	k.rows, k.bytes = append(k.rows, k.kept.Clone(row)), k.bytes+size
	k.account.Grow(size)
	return len(k.rows) == aheadRows || k.bytes >= aheadBytes, nil
}

func (k *prefetched) End() error   { return nil }
func (k *prefetched) Close() error { k.account.Release(); return nil }

// InParallel has the rows of a statement read on several goroutines, where few may be left of
// them and nobody can tell.
func InParallel(x *op.Frame, src op.Operator, p *Project) op.Operator {
	if !startsInParts(src) && !picks(x, src) {
		return p
	}
	rows := RowsOf(x, src, p.Nodes)
	if rows == nil {
		return p
	}
	out := &Results{Project: p, x: x, parallel: rows}
	out.parallel.Keeping(p.RowsOf, func() Keeper { return &prefetched{account: x.Stmt.Space.Account()} })
	out.parallel.pauses = true
	return out
}

// Reducing is a link that may make few rows of many.
type Reducing interface {
	scan.Link
	// Reduces reports whether it does so to the end in parts, and does not give up half way.
	Reduces() bool
}

// startsInParts reports whether a pipeline may make few rows of many cells, and does not
// give up half way.
func startsInParts(s op.Operator) (ok bool) {
	for ; s != nil; s = scan.Below(s) {
		if r, may := s.(Reducing); may {
			if !r.Reduces() {
				return false
			}
			ok = true
		}
	}
	return ok
}

// picks reports whether an operator is a scan of many cells with a condition. A store that does not
// estimate, as HBase, reads several regions of a scan by itself.
func picks(x *op.Frame, src op.Operator) bool {
	s, plain := scan.Of(src)
	return plain && x.Context.Estimator != nil && len(s.Keys)+len(s.Values) > 0 && Large(x.Context, []op.Operator{s})
}

func (p *Results) Env() *expr.Env {
	if p.parallel.Done {
		return &p.row
	}
	return p.Project.Env()
}

func (p *Results) Next(want int) (_ *kernel.Batch, err error) {
	if !p.begun {
		p.begun = true
		if _, err := p.parallel.ReadParts(); err != nil {
			return nil, err
		}
	}
	if !p.parallel.Done {
		return p.Project.Next(want)
	}
	for parts := p.parallel.Parts; p.part < len(parts); p.part++ {
		p.row.Row, err = parts[p.part].(*RowPart).take(p.x)
		if p.row.Row != nil || err != nil {
			return op.Single(true, err)
		}
		if p.part == len(parts)-1 {
			p.parallel.warnLate(p.x)
		}
	}
	return nil, nil
}

// take is the next row of a part whose turn it is, nil behind the last.
func (p *RowPart) take(x *op.Frame) ([]value.Value, error) {
	k := p.Keep.(*prefetched)
	if !k.told {
		k.told, p.Told = true, true
		x.Tell(p.Warnings)
	}
	switch {
	case k.at < len(k.rows):
		k.at++
		return k.rows[k.at-1], nil
	case p.paused:
		return p.Next()
	}
	return nil, nil
}

func (p *Results) Close() error { return cmp.Or(p.parallel.Close(), p.Project.Close()) }

func (p *Results) Step() *explain.Step {
	out := p.Project.Step()
	if p.parallel.Done {
		p.parallel.DescribeAt(out, out)
	}
	return out
}

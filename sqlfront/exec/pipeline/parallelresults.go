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

// Results returns the rows of a statement with a condition, over cells, pivots or joins. Several
// goroutines begin reading parts of the scan, each until it has some rows; the rest of a part is
// read when it is needed. So a selective statement is read on all processors, in bounded memory.
type Results struct {
	*Project
	x        *op.Frame
	row      expr.Env // for a row of a part
	parallel *Rows
	begun    bool
	part     int
}

// The limits of what is read of a part in advance, in rows and in bytes.
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
	told    bool // the part's warnings have been reported
}

func (k *prefetched) Keep(row []value.Value) (bool, error) {
	size := spill.Size(row)
	k.rows, k.bytes = append(k.rows, k.kept.Clone(row)), k.bytes+size
	k.account.Grow(size)
	return len(k.rows) == aheadRows || k.bytes >= aheadBytes, nil
}

func (k *prefetched) End() error   { return nil }
func (k *prefetched) Close() error { k.account.Release(); return nil }

// InParallel makes several goroutines read the rows of a statement, if few of them may remain and
// the result stays the same.
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

// Reducing is a link that may return far fewer rows than it reads.
type Reducing interface {
	scan.Link
	// Reduces reports whether it can do so in parts, without giving up halfway.
	Reduces() bool
}

// startsInParts reports whether a pipeline may return few rows of many cells, without giving up
// halfway.
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

// picks reports whether an operator is a scan of many cells with a condition. A store without
// estimates, such as HBase, reads several regions of a scan by itself.
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

// take returns the next row of the current part, or nil after the last.
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

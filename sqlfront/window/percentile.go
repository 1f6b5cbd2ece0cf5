package window

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// percentile computes MEDIAN, PERCENTILE_CONT and PERCENTILE_DISC
// (https://mariadb.com/kb/en/percentile_cont/): one value for all rows of a partition, which are sorted
// by the window's order. NULLs do not count.
type percentile struct {
	run        *Run
	name       string
	continuous bool
	fraction   expr.Node // nil for MEDIAN
	share, of  int       // the places of the fraction and of the value in a kept row
	row        *rowCursor
	known      bool
	kept       spill.RowBuffer
}

func (r *Run) newPercentile(c *Call) running {
	r.lookAhead()
	p := &percentile{run: r, name: c.Name, continuous: c.Name != "PERCENTILE_DISC", row: r.rows.cursor()}
	p.of = r.layout.Place(c.Args[len(c.Args)-1])
	if len(c.Args) > 1 {
		p.fraction, p.share = c.Args[0], r.layout.Place(c.Args[0])
	}
	return p
}

func (p *percentile) result(int64) (value.Value, error) {
	if !p.known {
		v, err := p.find()
		if err != nil {
			return value.Value{}, err
		}
		p.kept.Set([]value.Value{v})
		p.known = true
	}
	return p.kept.Row[0], nil
}

func (p *percentile) find() (value.Value, error) {
	rows, err := p.run.rows.all()
	if err != nil {
		return value.Value{}, err
	}
	share, err := p.shareOf(rows)
	if err != nil {
		return value.Value{}, err
	}
	first, count, err := p.notNull(rows)
	if count == 0 || err != nil {
		return value.Value{}, err
	}
	if p.continuous {
		return p.between(first, count, share)
	}
	return p.value(first + discrete(share, count))
}

// shareOf returns the fraction argument, which must be the same in all rows.
func (p *percentile) shareOf(rows int64) (float64, error) {
	if p.fraction == nil {
		return 0.5, nil
	}
	first, err := p.run.rows.value(p.row, 0, p.share)
	if err != nil {
		return 0, err
	}
	share, err := setfunc.Share(p.name, first, p.run.env)
	for at := int64(1); at < rows && err == nil && !expr.IsConst(p.fraction); at++ {
		var v value.Value
		if v, err = p.run.rows.value(p.row, at, p.share); err == nil {
			err = p.run.meter.Step(cancelcheck.Row)
		}
		other, wrong := setfunc.Share(p.name, v, p.run.env)
		switch {
		case err != nil:
		case wrong != nil:
			err = wrong
		case other != share:
			err = setfunc.ShareDiffers(p.name)
		}
	}
	return share, err
}

// notNull returns the range of the rows that are not NULL: the NULLs are all at the beginning or all at
// the end.
func (p *percentile) notNull(rows int64) (first, count int64, err error) {
	end := rows
	for ; first < end && err == nil; first++ {
		var null bool
		if null, err = p.isNull(first); !null {
			break
		}
	}
	for ; end > first && err == nil; end-- {
		var null bool
		if null, err = p.isNull(end - 1); !null {
			break
		}
	}
	return first, end - first, err
}

func (p *percentile) isNull(at int64) (bool, error) {
	v, err := p.run.rows.value(p.row, at, p.of)
	if err == nil {
		err = p.run.meter.Step(cancelcheck.Row)
	}
	return v.IsNull(), err
}

// discrete returns the number of the first of count rows up to which at least a share of them lies.
func discrete(share float64, count int64) int64 {
	n := float64(count)
	i := int64(math.Ceil(share * n))
	for i > 1 && float64(i-1)/n >= share {
		i--
	}
	for i < count && float64(i)/n < share {
		i++
	}
	return max(i, 1) - 1
}

// between interpolates between the two values nearest to that share of the way from the first to the
// last.
func (p *percentile) between(first, count int64, share float64) (value.Value, error) {
	at := share * float64(count-1)
	low, high := math.Floor(at), math.Ceil(at)
	a, err := p.number(first + int64(low))
	if err != nil || low == high {
		return value.NewFloatScale(a, 10), err
	}
	b, err := p.number(first + int64(high))
	return value.NewFloatScale(a*(high-at)+b*(at-low), 10), err
}

func (p *percentile) number(at int64) (float64, error) {
	v, err := p.value(at)
	if err != nil {
		return 0, err
	}
	return p.run.env.Float(v)
}

func (p *percentile) value(at int64) (value.Value, error) { return p.run.rows.value(p.row, at, p.of) }

func (p *percentile) keeps(at int64) int64 { return at + 1 }

func (p *percentile) restart() error {
	p.known = false
	return nil
}

func (p *percentile) close() error { return nil }

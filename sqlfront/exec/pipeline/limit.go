package pipeline

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// NoLimit is the LIMIT of a statement without one: MySQL's largest.
const NoLimit = int64(1<<63 - 1)

// Limit is a LIMIT clause; its numbers may be placeholders. The zero Limit has no limit.
type Limit struct {
	Present       bool
	Offset, Count clause.Operand
}

// WholeNumber parses digits; numbers above the largest int64 become that.
func WholeNumber(digits string) (int64, bool) {
	n, err := strconv.ParseUint(digits, 10, 64)
	return int64(min(n, uint64(NoLimit))), err == nil
}

// WrongLimit returns error 1210 for a LIMIT that is not a number.
func WrongLimit() error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to LIMIT: it must be a nonnegative integer")
}

// Values returns the offset and the number of rows, which is the largest int64 if there is no
// limit. The error is 1210.
func (l Limit) Values(params []value.Value) (offset, count int64, err error) {
	if !l.Present {
		return 0, NoLimit, nil
	}
	if offset, err = limitOf(l.Offset, params); err != nil {
		return 0, 0, err
	}
	count, err = limitOf(l.Count, params)
	return offset, count, err
}

func limitOf(o clause.Operand, params []value.Value) (int64, error) {
	if o.Param < 0 {
		return o.Const, nil
	}
	if o.Param >= len(params) {
		return 0, WrongLimit()
	}
	return asLimit(params[o.Param]), nil
}

// asLimit converts an argument as MySQL does: NULL is 0, a text is the integer that it begins with,
// a fraction is rounded, and negative and too large numbers mean no limit.
func asLimit(v value.Value) int64 {
	n := v.AsInt()
	switch v.Kind() {
	case value.Uint:
		n = int64(min(v.Uint(), uint64(NoLimit)))
	case value.Float:
		n = int64(min(math.RoundToEven(v.Float()), math.MaxInt64/2))
	case value.Text, value.Bytes:
		u, negative, _ := value.ParseInteger(v.Raw())
		if n = int64(min(u, uint64(NoLimit))); negative {
			n = -1
		}
	}
	if n < 0 {
		return NoLimit
	}
	return n
}

// Limited skips rows and stops after the last that is wanted.
type Limited struct {
	Child         op.Input
	Offset, Count int64
	Skipped       int64
	Given         int64
	// CountAll continues after the last row, to count all rows.
	CountAll bool
	ended    bool
}

func NewLimited(child op.Operator, offset, count int64, countAll bool) *Limited {
	return &Limited{Child: op.Input{Operator: child}, Offset: offset, Count: count, CountAll: countAll}
}

func (l *Limited) Env() *expr.Env { return l.Child.Env() }

// Next reads the last rows one by one, because rows after the last must not be read.
func (l *Limited) Next(want int) (*kernel.Batch, error) {
	if l.Given >= l.Count {
		return nil, l.countRest()
	}
	for l.Skipped < l.Offset {
		if err := l.skip(l.Offset - l.Skipped); l.ended || err != nil {
			return nil, err
		}
	}
	if l.Count-l.Given < int64(want) {
		want = 1
	}
	ok, err := l.Child.Row(want)
	if !ok || err != nil {
		l.ended = true
		return nil, err
	}
	l.Given++
	return op.OneRow, nil
}

// countRest counts the rows after the limit, for SQL_CALC_FOUND_ROWS.
func (l *Limited) countRest() error {
	for l.CountAll && !l.ended {
		if err := l.skip(NoLimit); err != nil {
			return err
		}
	}
	return nil
}

// skip skips at most so many rows; it sets ended if there is none.
func (l *Limited) skip(most int64) (err error) {
	var n int64
	if p, plain := l.Child.Operator.(*Project); plain {
		n, err = p.skip(most)
	} else {
		n, err = l.Child.Skip(most, 1)
	}
	l.Skipped += n
	l.ended = n == 0 || err != nil
	return err
}

func (l *Limited) Close() error { return l.Child.Close() }

func (l *Limited) Step() *explain.Step {
	title := "Limit"
	if l.Count != NoLimit {
		title += fmt.Sprintf(" %d", l.Count)
	}
	if l.Offset > 0 {
		title += fmt.Sprintf(" offset %d", l.Offset)
	}
	out := explain.NewStep(title, l.Child.Step())
	out.Rows = l.Given
	return out
}

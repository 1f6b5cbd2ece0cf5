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

// Limit is a LIMIT clause; its numbers may be placeholders. The zero Limit
// lets everything through.
type Limit struct {
	Present       bool
	Offset, Count clause.Operand
}

// WholeNumber reads digits; numbers over the largest int64 are as good as it.
func WholeNumber(digits string) (int64, bool) {
	n, err := strconv.ParseUint(digits, 10, 64)
	return int64(min(n, uint64(NoLimit))), err == nil
}

// WrongLimit is the error of a LIMIT that is no number.
func WrongLimit() error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to LIMIT: a whole number from 0 on is needed")
}

// Values are the offset and the number of rows; count is the largest int64
// where there is no limit.
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

// asLimit is an argument as MySQL takes it: NULL is 0, a text the integer that it
// begins with, a fraction is rounded, and what is negative or too large has no end.
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

// Limited skips rows and stops behind the last that is wanted.
type Limited struct {
	Child         op.Input
	Offset, Count int64
	Skipped       int64
	Given         int64
	// CountAll goes on behind the last row, to count what there is.
	CountAll bool
	ended    bool
}

func NewLimited(child op.Operator, offset, count int64, countAll bool) *Limited {
	return &Limited{Child: op.Input{Operator: child}, Offset: offset, Count: count, CountAll: countAll}
}

func (l *Limited) Env() *expr.Env { return l.Child.Env() }

// Next asks for the last rows one by one: what is behind the last is not to be read.
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

// countRest counts the rows behind the limit, as SQL_CALC_FOUND_ROWS asks.
func (l *Limited) countRest() error {
	for l.CountAll && !l.ended {
		if err := l.skip(NoLimit); err != nil {
			return err
		}
	}
	return nil
}

// skip passes over rows, at most so many, or finds that there is none.
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

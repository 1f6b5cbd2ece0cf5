package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// frameValue computes FIRST_VALUE, LAST_VALUE and NTH_VALUE. It remembers the value, so that the rows
// of a frame that starts with the partition need not be kept.
type frameValue struct {
	run   *Run
	frame *frameRows
	of    int
	last  bool
	nth   int64
	row   *rowCursor
	at    int64 // the row of the value, or -1
	next  int64 // the first row that may be asked for
	kept  spill.RowBuffer
}

func (f *frameValue) result(at int64) (value.Value, error) {
	start, end, err := f.frame.of(at)
	if err != nil {
		return value.Value{}, err
	}
	want := plus(start, f.nth-1)
	if f.last {
		want = end - 1
	}
	if start == end || want >= end {
		f.next = want
		return value.Value{}, nil
	}
	if f.at != want {
		if err := f.remember(want); err != nil {
			return value.Value{}, err
		}
	}
	f.next = want + 1
	return f.kept.Row[0], nil
}

func (f *frameValue) remember(at int64) error {
	v, err := f.run.rows.value(f.row, at, f.of)
	if f.run.rows.kept != nil {
		f.kept.Row = append(f.kept.Row[:0], v)
	} else if err == nil {
		f.kept.Set([]value.Value{v})
	}
	f.at = at
	return err
}

func (f *frameValue) keeps(int64) int64 { return min(max(f.next, 0), f.frame.keeps()) }

func (f *frameValue) restart() error {
	f.frame.restart()
	f.at, f.next = -1, 0
	return nil
}

func (f *frameValue) close() error { return nil }

package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// List keeps rows to be read repeatedly, in the order of their arrival.
type List struct {
	space   *Space
	account Account
	meter   cancelcheck.Meter
	rows    [][]value.Value
	kept    rowmem.Arena
	given   int

	file  *file
	run   run
	write writer
	read  reader
}

// NewList makes an empty List.
func (s *Space) NewList() *List {
	return &List{space: s, account: s.Account(), meter: cancelcheck.Meter{Ctx: s.ctx}}
}

// Peak is the most memory used at any time, in bytes.
func (l *List) Peak() int64 { return l.account.Peak() }

// Spilled reports whether rows are in a temporary file.
func (l *List) Spilled() bool { return l.file != nil }

// Add adds a copy of the row. Its errors are those of [Space].
func (l *List) Add(row []value.Value) error {
	if l.file == nil {
		l.account.Grow(Size(row))
		if !l.account.Full() {
			l.rows = append(l.rows, l.kept.Clone(row))
			return nil
		}
		if err := l.spill(); err != nil {
			return err
		}
	}
	return l.write.add(row)
}

// spill writes all rows to a file; later ones are added there, too.
func (l *List) spill() (err error) {
	if l.file, err = l.space.createPart(); err != nil {
		return err
	}
	l.run = l.write.begin(l.file)
	for _, row := range l.rows {
		if err := l.write.add(row); err != nil {
			return err
		}
	}
	l.rows, l.kept = nil, rowmem.Arena{}
	l.account.Release()
	return nil
}

// Rewind goes back before the first row. Add must not be called afterwards. Its errors are those of
// [Space].
func (l *List) Rewind() error {
	l.given = 0
	if l.file == nil {
		return nil
	}
	if l.run.end == 0 {
		if err := l.write.finish(&l.run); err != nil {
			return err
		}
	}
	l.read.open(l.run, l.space.block())
	return nil
}

// Next returns the next row, or nil after the last. Its errors are those of [Space].
func (l *List) Next() ([]value.Value, error) {
	if err := l.meter.Step(cancelcheck.Row); err != nil {
		return nil, err
	}
	if l.file != nil {
		return l.read.read()
	}
	if l.given == len(l.rows) {
		return nil, nil
	}
	l.given++
	return l.rows[l.given-1], nil
}

// Reset drops all rows, and keeps the memory of those that were not in a file for later ones. Its
// errors are those of [Space].
func (l *List) Reset() error {
	if l.file != nil {
		err := l.Close()
		*l = List{space: l.space, account: l.space.Account(), meter: l.meter}
		return err
	}
	l.account.Release()
	l.rows, l.given = l.rows[:0], 0
	l.kept.Reset()
	return nil
}

// Close releases memory and temporary files. It may be called again. Its errors are those of [Space].
func (l *List) Close() error {
	l.account.Release()
	l.rows, l.kept, l.write, l.read = nil, rowmem.Arena{}, writer{}, reader{}
	err := l.file.close()
	l.file = nil
	return err
}

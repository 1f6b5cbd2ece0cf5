package write

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Loading is a running LOAD DATA.
type Loading struct {
	insertWriter
	load      *LoadData
	in        *textfile.Reader
	renewable bool
	loaded    change.Loaded
	max       int            // maximum for a variable, in bytes
	at        change.Version // the current row
	// kept are rows that are buffered until it is decided how to write them.
	kept      kv.Batch
	keptBytes int
}

// Start begins to load the rows of a file through the context's transaction. If renewable is set, the
// transaction may take newer snapshots meanwhile.
func (s *LoadData) Start(ctx *exec.Context, in *textfile.Reader, renewable bool, maxVariable int) *Loading {
	change.Before(ctx, s.insert.rereads, s.insert.ignore)
	l := &Loading{load: s, in: in, renewable: renewable && s.Renewable(), max: maxVariable}
	l.Context, l.Table, l.Selection, l.Ignore, l.stmt = change.CountWarnings(ctx, &l.loaded.Warnings), s.insert.table, s.insert.selection, s.insert.ignore, &s.insert
	l.Start(s.insert.exprs)
	if len(s.set) > 0 {
		l.Values.Row = make([]value.Value, change.ColV+1+schema.Of(l.Table).Generated())
	}
	return l
}

// End frees what the expressions kept. err is how the rows ended.
func (l *Loading) End(err error) (change.Loaded, error) {
	l.loaded.Result = l.Result
	return l.loaded, l.insertWriter.End(err)
}

// rows reads rows and calls write for each. It ends after a row for which write returns change.ErrStop;
// that row is written.
func (l *Loading) rows(write func(*change.Version) error) error {
	return l.EachLine(l.in, &l.loaded, func(fields []textfile.Field) (err error) {
		if l.at, err = l.read(fields); err != nil {
			return err
		}
		return write(&l.at)
	})
}

// Write writes the buffered rows and the rest of the file through the transaction. Errors are those of
// the file, of INSERT, and of the store.
func (l *Loading) Write() error {
	if err := l.writeKept(); err != nil {
		return err
	}
	return l.rows(l.write)
}

func (l *Loading) writeKept() error {
	row := l.Row
	defer func() { l.Row = row }()
	for i := range l.kept.Len() {
		c := l.kept.Cell(i)
		l.Row = i + 1 // REPLACE skips no rows
		r := change.Version{K: c.Row, Q: c.Qualifier, T: c.Timestamp, V: c.Value}
		if err := l.write(&r); err != nil {
			return err
		}
	}
	l.kept.Release()
	return nil
}

// write writes one row. After a conflict with another transaction it locks the row, takes a newer
// snapshot with the other's change, and retries.
func (l *Loading) write(r *change.Version) error {
	for {
		err := l.insert(*r, nil)
		if !l.renewable || !errors.Is(err, kv.ErrConflict) {
			return err
		}
		if err := l.Txn.Renew(l.Ctx); err != nil {
			return err
		}
	}
}

// Keep buffers rows of up to most bytes. It reports whether there are more, and all of them may be
// written as files. Errors are those of the file, and of INSERT.
func (l *Loading) Keep(most int) (many bool, err error) {
	err = l.rows(func(r *change.Version) error {
		if r.Clock {
			if err := l.writeKept(); err != nil {
				return err
			}
			if err := l.write(r); err != nil {
				return err
			}
			return change.ErrStop
		}
		if err := l.placedInTable(r); err != nil {
			return err
		}
		l.kept.Add(0, r.K, r.Q, r.T, r.V)
		l.keptBytes += len(r.K) + len(r.Q) + len(r.V)
		if many = l.keptBytes > most; many {
			return change.ErrStop
		}
		return nil
	})
	if err == change.ErrStop {
		err = nil
	}
	return many, err
}

// Cells iterates over the rows for a bulk load, up to the first one that the table does not accept, for
// which it yields an error.
func (l *Loading) Cells(yield func(kv.Cell, error) bool) {
	give := func(c kv.Cell, row int) bool {
		if l.TakesNotes() && l.Expired(c.Timestamp) {
			l.NoteNotKept(&change.Doubt{Version: change.Version{T: c.Timestamp}, Row: row, Expired: true})
		}
		_ = l.Count(1, nil)
		return yield(c, nil)
	}
	for i := range l.kept.Len() {
		if !give(l.kept.Cell(i), i+1) {
			return
		}
	}
	l.kept.Release()
	err := l.rows(func(r *change.Version) error {
		err := l.placedInTable(r)
		switch {
		case r.Clock:
			return mysqlerr.Unsupported("LOAD DATA REPLACE of many rows, one of them without T: add SET T = ... to the statement")
		case err != nil:
			return err
		case !give(r.Cell(), l.Row):
			return change.ErrStop
		}
		return nil
	})
	if err != nil && err != change.ErrStop {
		yield(kv.Cell{}, err)
	}
}

// placedInTable is Placed, and also checks that the row has a partition, which the store does for rows
// of a transaction.
func (l *Loading) placedInTable(r *change.Version) error {
	if err := l.Placed(r); err != nil {
		return err
	}
	_, ok := l.Table.Partitioning.Locate(r.K)
	if ok && l.Table.Partitioning.Slices() != nil {
		_, ok = l.Table.Partitioning.Slice(r.T)
	}
	if !ok {
		return change.NoPartition(l.Table, r)
	}
	return nil
}

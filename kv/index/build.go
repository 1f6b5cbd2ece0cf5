package index

import (
	"context"
	"errors"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// BuildOptions are how an index is built. The zero value is good for all.
type BuildOptions struct {
	// Progress, where it is not nil, is called by the goroutine that builds, now and then: rows is how
	// many have their entries so far; where each column has its own, columns.
	Progress func(rows int64)
	// LockTimeout is how long the build waits for a row that another transaction has locked before
	// it looks whether it goes on, and waits again; 0 is the store's own default.
	LockTimeout time.Duration
	// Rows bounds how many rows a transaction makes the entries of; 0 is 1,000.
	Rows int
}

// Unfinished is an index that is being built, or was when the store was closed.
type Unfinished struct {
	Table *kv.Table
	Index int // in Table.Indexes
}

// UnfinishedIn are the indexes of a catalog that are not complete. Of a store that has just been opened,
// nobody builds them: Build does that from the start, and kv.CatalogChange.DropIndex removes them.
// Until then writers keep their entries.
func UnfinishedIn(c *kv.Catalog) (out []Unfinished) {
	for _, d := range c.Databases() {
		for _, t := range c.Tables(d.Name) {
			for i := range t.Indexes {
				if t.Indexes[i].Building {
					out = append(out, Unfinished{t, i})
				}
			}
		}
	}
	return out
}

// place is where an index is found in a catalog by the ID of its table of entries.
func place(c *kv.Catalog, entries uint64) (t *kv.Table, index int, err error) {
	if e := c.TableByID(entries); e != nil {
		if t = c.TableByID(e.IndexOf); t != nil {
			for i := range t.Indexes {
				if t.Indexes[i].Entries == entries {
					return t, i, nil
				}
			}
		}
	}
	return nil, 0, kv.ErrNoIndex
}

// Build makes the entries of the rows that a table has, in an index that
// kv.CatalogChange.AddIndex has added, and then the index complete. The index is the one that has its
// entries in the table of that ID. Readers and writers go on meanwhile; tables may be renamed. A
// second call for an index that is not complete begins from the start.
//
// Where it fails, and where the context ends, the index is dropped: kv.DuplicateEntryError of a
// unique one where two rows have one entry, kv.ErrNoIndex where another has dropped it. An index that is
// Stale, whose other entries are removed, stays as it is then.
func Build(ctx context.Context, store kv.Store, entries uint64, o BuildOptions) error {
	s, ok := store.(*Store)
	if !ok {
		return kv.ErrUnsupported{What: "indexes in this store"}
	}
	b := builder{BuildOptions: o, store: s, entries: entries}
	if b.Rows <= 0 {
		b.Rows = 1000
	}
	fresh, err := false, b.look(ctx)
	for complete := false; err == nil && !complete; {
		fresh = fresh || b.stale == 0
		complete, err = b.once(ctx)
	}
	if err != nil && fresh {
		err = errors.Join(err, b.drop(context.WithoutCancel(ctx)))
	}
	return err
}

// once makes all entries, and the index complete unless it has become stale meanwhile.
func (b *builder) once(ctx context.Context) (complete bool, err error) {
	passes := []func(context.Context, int) error{b.some}
	if b.stale > 0 {
		passes = append(passes, b.sweep)
	}
	for _, pass := range passes {
		b.at, b.done = kv.Position{}, false
		if err := b.all(ctx, pass); err != nil {
			return false, err
		}
	}
	return b.publish(ctx)
}

type builder struct {
	BuildOptions
	store   *Store
	entries uint64
	at      kv.Position // where to go on
	rows    int64
	done    bool
	stale   uint64 // what kv.Index.Stale was before the first entry was made
}

// look notes how stale the index is.
func (b *builder) look(ctx context.Context) error {
	catalog, err := b.store.Catalog(ctx)
	if err != nil {
		return err
	}
	t, i, err := place(catalog, b.entries)
	if err == nil {
		b.stale = t.Indexes[i].Stale
	}
	return err
}

// all goes over all rows, or entries, in many transactions, each by a call of some. After one that fails for what others do, or
// is too large, the next one tries fewer rows.
func (b *builder) all(ctx context.Context, some func(context.Context, int) error) error {
	most := b.Rows
	for !b.done {
		err := some(ctx, most)
		switch {
		case err == nil:
			most = min(2*most, b.Rows)
		case ctx.Err() == nil && (passes(err) || most > 1 && errors.Is(err, kv.ErrTooLarge)):
			most = max(most/2, 1)
		default:
			return err
		}
		if b.Progress != nil {
			b.Progress(b.rows)
		}
	}
	return nil
}

// passes reports whether an error is one that a new transaction may not have.
func passes(err error) bool {
	for _, e := range []error{kv.ErrConflict, kv.ErrDeadlock, kv.ErrLockTimeout, kv.ErrCatalogChanged} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// some makes the entries of up to so many rows in one transaction.
func (b *builder) some(ctx context.Context, most int) error {
	return b.piece(ctx, most, (*piece).fill)
}

// piece makes a part of what is to be done in one transaction.
func (b *builder) piece(ctx context.Context, most int, make func(*piece, context.Context) error) error {
	txn, err := b.store.Full.Begin(ctx, kv.TxnOptions{LockTimeout: b.LockTimeout})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	catalog := txn.Catalog()
	t, i, err := place(catalog, b.entries)
	if err != nil {
		return err
	}
	index, err := newOne(catalog, t, i, b.store.maker)
	if err != nil {
		return err
	}
	p := piece{txn: txn, unit: alone(t, index), index: index, most: most, at: b.at}
	if err := make(&p, ctx); err != nil {
		return err
	}
	if err := txn.Commit(ctx); err != nil {
		return err
	}
	b.at, b.rows, b.done = p.at, b.rows+int64(p.rows), !p.more
	return nil
}

// piece is what one transaction makes the entries of.
type piece struct {
	txn   kv.Txn
	unit  *unit
	index *one
	most  int
	rows  int
	at    kv.Position
	more  bool // there may be rows behind at
}

func (p *piece) fill(ctx context.Context) error {
	return p.unit.each(ctx, p.txn, kv.Range{Start: p.at}, func(it *item) (bool, error) {
		if p.rows == p.most {
			p.more = true
			return false, nil
		}
		err := p.add(ctx, it)
		if errors.Is(err, kv.ErrRowLocked) {
			p.more = true
			return false, nil
		}
		if err != nil {
			return false, err
		}
		p.rows++
		p.at = p.unit.after(it)
		return true, nil
	})
}

// add writes the entries of a row. What was read of it is what it has, since the lock fails
// otherwise. Only the first row is waited for, so that writers do not wait for one who waits.
func (p *piece) add(ctx context.Context, it *item) error {
	if err := p.txn.LockRow(ctx, p.unit.Table, it.row, kv.RowLock{NoWait: p.rows > 0}); err != nil {
		return err
	}
	entries, err := p.index.of(it.row, it.cells)
	if err != nil {
		return err
	}
	c := change{p.index, p.unit.Table, nil, entries}
	return c.write(ctx, p.txn)
}

// publish makes the index complete, unless it has become stale since it was looked at: then it is noted how stale.
func (b *builder) publish(ctx context.Context) (complete bool, err error) {
	err = b.store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		t, i, err := place(c.Catalog(), b.entries)
		if err != nil {
			return err
		}
		next := t.Indexes[i]
		if complete = !next.Building || next.Stale == b.stale; !complete {
			b.stale = next.Stale
			return nil
		}
		next.Building, next.Stale = false, 0
		return c.ChangeIndex(t.Database, t.Name, next.Name, next)
	})
	return complete, err
}

// drop removes the index, where it is there.
func (b *builder) drop(ctx context.Context) error {
	err := b.store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		t, i, err := place(c.Catalog(), b.entries)
		if err != nil {
			return err
		}
		return c.DropIndex(t.Database, t.Name, t.Indexes[i].Name)
	})
	if errors.Is(err, kv.ErrNoIndex) {
		return nil
	}
	return err
}

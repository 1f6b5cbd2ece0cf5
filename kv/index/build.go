package index

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// BuildOptions are how an index is built. The zero value is good for all.
type BuildOptions struct {
	// Progress, where it is not nil, is called by the goroutine that builds, now and then: rows is how
	// many have been read so far; where each column has its own entries, columns.
	Progress func(rows int64)
	// LockTimeout is how long the build waits for a row that another transaction has locked before
	// it looks whether it goes on, and waits again; 0 is the store's own default.
	LockTimeout time.Duration
	// Rows bounds how many rows are read in one snapshot, whose entries become visible together; 0 is all of them, as long
	// as others write little meanwhile.
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
	for t := range c.EveryTable() {
		for i := range t.Indexes {
			if t.Indexes[i].Building {
				out = append(out, Unfinished{t, i})
			}
		}
	}
	return out
}

// place is where an index is found in a catalog by the ID of its table of entries.
func place(c *kv.Catalog, entries uint64) (t *kv.Table, index int, err error) {
	if e := c.TableByID(entries); e != nil {
		if t = c.TableByID(e.IndexOf); t != nil {
			if index = t.IndexWith(entries); index >= 0 {
				return t, index, nil
			}
		}
	}
	return nil, 0, kv.ErrNoIndex
}

// Build makes the entries of the rows that a table has, in an index that
// kv.CatalogChange.AddIndex has added, and then the index complete. The index is the one that has its
// entries in the table of that ID. Readers and writers go on meanwhile, but for transactions that have written to the table and
// have begun before entries became visible: they get kv.ErrCatalogChanged. Tables may be renamed. A
// second call for an index that is not complete begins from the start; one beside the first waits for it.
//
// The rows are read in one snapshot, and their entries sorted in files that the store takes in, see kv.BulkLoader. Which rows
// others have written since the snapshot is remembered meanwhile: these get their entries behind that, row by row.
//
// Where it fails, and where the context ends, the index is dropped: kv.DuplicateEntryError of a
// unique one where two rows have one entry, kv.ErrNoIndex where another has dropped it. An index that is
// Stale, whose other entries are removed, stays as it is then.
func Build(ctx context.Context, store kv.Store, entries uint64, o BuildOptions) error {
	s, ok := store.(*Store)
	if !ok {
		return kv.ErrUnsupported{What: "indexes in this store"}
	}
	journal, err := s.journals.begin(ctx, entries)
	if err != nil {
		return err
	}
	defer s.journals.end(entries, journal)
	b := builder{BuildOptions: o, store: s, entries: entries, journal: journal}
	for complete := false; err == nil && !complete; {
		if complete, err = b.begin(ctx); err == nil && !complete {
			complete, err = b.once(ctx)
		}
	}
	if err != nil && b.fresh {
		err = errors.Join(err, b.drop(context.WithoutCancel(ctx)))
	}
	return err
}

// Finish builds the indexes that were being built when the store was closed, which has just been opened. One whose rows are not
// unique is dropped.
func (s *Store) Finish(ctx context.Context) error {
	catalog, err := s.Catalog(ctx)
	if err != nil {
		return err
	}
	for _, u := range UnfinishedIn(catalog) {
		err := Build(ctx, s, u.Table.Indexes[u.Index].Entries, BuildOptions{})
		if duplicate := (*kv.DuplicateEntryError)(nil); err != nil && !errors.As(err, &duplicate) {
			return err
		}
	}
	return nil
}

type builder struct {
	BuildOptions
	store   *Store
	entries uint64
	journal *journal
	fresh   bool        // the index has never been complete
	stale   uint64      // what kv.Index.Stale was at the beginning
	sweeps  bool        // entries are left from before
	at      kv.Position // where to go on
	rows    int64
	done    bool
}

// begin has all that is committed from now on be in the journal. No entries are left from before, but those of a unique index that
// has had all: others must not get them meanwhile.
func (b *builder) begin(ctx context.Context) (complete bool, err error) {
	err = b.change(ctx, func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
		if complete = !index.Building; complete {
			return nil
		}
		b.stale, b.fresh = index.Stale, b.fresh || index.Stale == 0
		b.sweeps = index.Unique && !b.fresh
		return c.RenewIndex(t.Database, t.Name, index.Name, !b.sweeps)
	})
	return complete, err
}

// change changes the catalog, where the index is there.
func (b *builder) change(ctx context.Context, fn func(*kv.CatalogChange, *kv.Table, kv.Index) error) error {
	return b.store.Full.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		t, i, err := place(c.Catalog(), b.entries)
		if err != nil {
			return err
		}
		return fn(c, t, t.Indexes[i])
	})
}

// barrier has the transactions fail that have begun before and have written to the table: they have not seen which entries there
// are now, and have removed none that they have not seen.
func (b *builder) barrier(ctx context.Context) error {
	return b.change(ctx, func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
		return c.RenewIndex(t.Database, t.Name, index.Name, false)
	})
}

// once makes all entries, and the index complete unless it has become stale meanwhile.
func (b *builder) once(ctx context.Context) (complete bool, err error) {
	b.at, b.done = kv.Position{}, false
	for !b.done {
		if err := b.part(ctx); err != nil {
			return false, err
		}
	}
	if b.sweeps {
		if err := b.sweep(ctx); err != nil {
			return false, err
		}
	}
	if err := b.distinct(ctx); err != nil {
		return false, err
	}
	return b.publish(ctx)
}

// part makes the entries of some rows, or of all.
func (b *builder) part(ctx context.Context) error {
	snapshot, err := b.open(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer snapshot.Rollback()
	r := reader{builder: b, snapshot: snapshot, at: b.at, rows: b.rows}
	_, err = b.store.Full.BulkLoad(ctx, []*kv.Table{snapshot.index.table}, r.entries(ctx), kv.BulkOptions{Unlocked: true})
	if errors.Is(err, kv.ErrCatalogChanged) {
		return nil // where the index is still there, it is tried again
	}
	if err == nil {
		err = b.barrier(ctx)
	}
	if err == nil {
		err = b.mend(ctx, snapshot, b.journal.take())
	}
	if err == nil {
		b.at, b.rows, b.done = r.at, r.rows, !r.more
		b.tell(b.rows)
	}
	return err
}

func (b *builder) tell(rows int64) {
	if b.Progress != nil {
		b.Progress(rows)
	}
}

// snapshot is a transaction, with what it knows of the index.
type snapshot struct {
	kv.Txn
	unit  *unit
	index *one
}

// open begins a transaction.
func (b *builder) open(ctx context.Context, o kv.TxnOptions) (*snapshot, error) {
	txn, err := b.store.Full.Begin(ctx, o)
	if err != nil {
		return nil, err
	}
	t, i, err := place(txn.Catalog(), b.entries)
	if err == nil {
		var index *one
		if index, err = newOne(txn.Catalog(), t, i, b.store.maker); err == nil {
			return &snapshot{txn, alone(t, index), index}, nil
		}
	}
	txn.Rollback()
	return nil, err
}

// reader reads rows for a part of a build.
type reader struct {
	*builder
	snapshot *snapshot
	at       kv.Position // where to go on
	rows     int64       // in all
	more     bool        // there may be rows behind at
}

// lookEvery is the number of rows between two looks at whether the build is to go on.
const lookEvery = 1024

// entries are those of the rows, in the order of the rows.
func (r *reader) entries(ctx context.Context) iter.Seq2[kv.Cell, error] {
	return func(yield func(kv.Cell, error) bool) {
		err := r.snapshot.unit.each(ctx, r.snapshot, kv.Range{Start: r.at}, func(it *item) (bool, error) {
			if r.enough() {
				r.at, r.more = r.snapshot.unit.before(it), true
				return false, nil
			}
			entries, err := r.snapshot.index.of(it.row, it.cells)
			if err != nil {
				return false, err
			}
			for i := range entries {
				if !yield(entries[i].cell(), nil) {
					return false, nil
				}
			}
			r.rows++
			return true, r.look(ctx)
		})
		if err != nil {
			yield(kv.Cell{}, err)
		}
	}
}

// enough reports whether the rows are to have their entries before others are read.
func (r *reader) enough() bool {
	n := r.rows - r.builder.rows
	return n > 0 && (r.Rows > 0 && n == int64(r.Rows) || n%lookEvery == 0 && r.journal.full())
}

// look looks now and then whether the index is still there.
func (r *reader) look(ctx context.Context) error {
	if r.rows%lookEvery != 0 {
		return nil
	}
	r.tell(r.rows)
	catalog, err := r.store.Catalog(ctx)
	if err == nil {
		_, _, err = place(catalog, r.builder.entries)
	}
	return err
}

// publish makes the index complete, unless it has become stale since it was looked at.
func (b *builder) publish(ctx context.Context) (complete bool, err error) {
	err = b.change(ctx, func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
		if complete = !index.Building || index.Stale == b.stale; !complete {
			return nil
		}
		index.Building, index.Stale, index.Step = false, 0, 0
		return c.ChangeIndex(t.Database, t.Name, index.Name, index)
	})
	return complete, err
}

// drop removes the index, where it is there.
func (b *builder) drop(ctx context.Context) error {
	err := b.change(ctx, func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
		return c.DropIndex(t.Database, t.Name, index.Name)
	})
	if errors.Is(err, kv.ErrNoIndex) {
		return nil
	}
	return err
}

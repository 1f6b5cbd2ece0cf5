package index

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// BuildOptions say how an index is built. The zero value always works.
type BuildOptions struct {
	// Progress, if not nil, is called at times by the goroutine that builds. rows is how many rows have been
	// read so far, or how many columns if each column has its own entries.
	Progress func(rows int64)
	// LockTimeout is how long the build waits for a row that another transaction has locked before it checks
	// whether it should continue, and waits again; 0 is the store's default.
	LockTimeout time.Duration
	// Rows bounds the number of rows that are read in one snapshot, whose entries become visible together; 0
	// is all rows, as long as others write little meanwhile.
	Rows int
}

// Unfinished is an index that is being built, or was when the store was closed.
type Unfinished struct {
	Table *kv.Table
	Index int // index into Table.Indexes
}

// UnfinishedIn returns the incomplete indexes of a catalog. In a store that has just been opened, nobody is
// building them: Build does so from the start, and kv.CatalogChange.DropIndex removes them. Until then
// writers maintain their entries.
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

// place finds an index in a catalog by the ID of its table of entries. It returns kv.ErrNoIndex if there is
// none.
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

// Build makes the entries of existing rows in an index that kv.CatalogChange.AddIndex has added, and then
// marks it complete. entries is the ID of the index's table of entries. Readers and writers continue
// meanwhile, but transactions that have written to the table and began before entries became visible get
// kv.ErrCatalogChanged. Tables may be renamed. A second call for an incomplete index begins from the start; a
// concurrent one waits for the first.
//
// The rows are read in one snapshot, and their entries are sorted in files that the store ingests, see
// kv.BulkLoader. Meanwhile it is recorded which rows others have written since the snapshot: these get their
// entries afterwards, row by row.
//
// If it fails, or the context ends, the index is dropped. The error is kv.DuplicateEntryError if two rows
// have the same entry in a unique index, and kv.ErrNoIndex if somebody else has dropped it. A Stale index,
// whose superfluous entries are removed, is then left as it is.
func Build(ctx context.Context, store kv.Store, entries uint64, o BuildOptions) error {
	s, ok := store.(*Store)
	if !ok {
		return buildAlone(ctx, store, entries)
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

// BuildEach is Build for indexes of a table by their names, one after the other. The error is kv.ErrCatalogChanged if
// others have dropped one.
func BuildEach(ctx context.Context, store kv.Store, t *kv.Table, names []string, o BuildOptions) error {
	for _, name := range names {
		catalog, err := store.Catalog(ctx)
		if err != nil {
			return err
		}
		now := catalog.TableByID(t.ID)
		if now == nil || now.IndexNamed(name) < 0 {
			return kv.ErrCatalogChanged
		}
		if err := Build(ctx, store, now.Indexes[now.IndexNamed(name)].Entries, o); err != nil {
			return err
		}
	}
	return nil
}

// Finish builds, in a store that has just been opened, the indexes that were being built when it was closed.
// A unique index with duplicates is dropped.
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
	stale   uint64      // kv.Index.Stale at the beginning
	sweeps  bool        // old entries are left
	at      kv.Position // where to continue
	rows    int64
	done    bool
}

// begin starts the journal, so that it has everything committed from now on. Old entries are removed, except
// in a unique index that once was complete: others must not get these entries meanwhile.
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

// change changes the catalog if the index exists.
func (b *builder) change(ctx context.Context, fn func(*kv.CatalogChange, *kv.Table, kv.Index) error) error {
	return b.store.Full.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		t, i, err := place(c.Catalog(), b.entries)
		if err != nil {
			return err
		}
		return fn(c, t, t.Indexes[i])
	})
}

// barrier makes transactions fail that began before and have written to the table: they have not seen the
// present entries, and so have not removed any that they should.
func (b *builder) barrier(ctx context.Context) error {
	return b.change(ctx, func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
		return c.RenewIndex(t.Database, t.Name, index.Name, false)
	})
}

// once makes all entries, and marks the index complete unless it has become stale meanwhile.
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
		return nil // if the index still exists, the build is retried
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

// snapshot is a transaction with its descriptors of the index.
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
	at       kv.Position // where to continue
	rows     int64       // total
	more     bool        // there may be rows after at
}

// lookEvery is the number of rows between two checks whether the build should continue.
const lookEvery = 1024

// entries returns the entries of the rows, in row order.
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

// enough reports whether these rows should get their entries before others are read.
func (r *reader) enough() bool {
	n := r.rows - r.builder.rows
	return n > 0 && (r.Rows > 0 && n == int64(r.Rows) || n%lookEvery == 0 && r.journal.full())
}

// look checks at times whether the index still exists.
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

// publish marks the index complete, unless it has become stale since the beginning.
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

// drop removes the index, if it exists.
func (b *builder) drop(ctx context.Context) error {
	err := b.change(ctx, func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
		return c.DropIndex(t.Database, t.Name, index.Name)
	})
	if errors.Is(err, kv.ErrNoIndex) {
		return nil
	}
	return err
}

package rowapi

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// MaxCellBytes is the default of Options.MaxCellBytes, which is also HBase's.
const MaxCellBytes = 10 << 20

// Options say how a Client works. The zero value always works.
type Options struct {
	// Database is the database for the namespace default; empty means the database of that name.
	Database string
	// LockTimeout is how long an operation waits for rows that others write; 0 is the store's default.
	LockTimeout time.Duration
	// MaxCellBytes is the most bytes that a cell's key and value may have; 0 is the constant of that name.
	MaxCellBytes int
	// Disabled, if not nil, reports whether a table is disabled, given the tables of its families:
	// every operation on it then fails with ErrTableDisabled. It is called once for each catalog.
	Disabled func(families []*kv.Table) bool
}

// Client provides HBase's operations on a store.
type Client struct {
	store   kv.Store
	options Options
	limits  kv.Limits
	known   atomic.Pointer[resolved]
}

// New returns a Client of a store, which the caller must close.
func New(store kv.Store, o Options) *Client {
	if o.Database == "" {
		o.Database = DefaultNamespace
	}
	if o.MaxCellBytes == 0 {
		o.MaxCellBytes = MaxCellBytes
	}
	return &Client{store: store, options: o, limits: kv.LimitsOf(store)}
}

// Families returns the tables of a table's families, in HBase's order of families, and whether the
// table is disabled. It fails with ErrTableNotFound if there is no such table.
func (c *Client) Families(ctx context.Context, table TableName) (families []*kv.Table, disabled bool, err error) {
	catalog, err := c.store.Catalog(ctx)
	if err != nil {
		return nil, false, mapError(err)
	}
	t, err := c.lookUp(catalog, table)
	if err != nil {
		return nil, false, err
	}
	return t.tables, t.disabled, nil
}

// Get reads a row. The Result has no cells if there is none.
func (c *Client) Get(ctx context.Context, table TableName, g *Get) (*Result, error) {
	return c.GetIn(ctx, new(Memory), table, g)
}

// GetIn is Get with the Result and its contents in m, where they are valid until m is used again.
func (c *Client) GetIn(ctx context.Context, m *Memory, table TableName, g *Get) (*Result, error) {
	if len(g.Row) == 0 {
		return nil, errNoRow
	}
	tx, err := c.store.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return nil, mapError(err)
	}
	defer endRead(tx)
	t, err := c.enabled(tx.Catalog(), table)
	if err != nil {
		return nil, err
	}
	r, err := m.getRow(ctx, tx, t, g)
	return r, mapError(err)
}

var errNoRow = fmt.Errorf("%w: the row is empty", ErrInvalid)

// getRow reads a row in a transaction.
func (m *Memory) getRow(ctx context.Context, tx kv.Txn, t *target, g *Get) (*Result, error) {
	m.reset()
	p := &m.get.plan
	if err := p.read(t, &g.Columns, false); err != nil {
		return nil, err
	}
	p.ofRow(g.Row)
	if g.ExistenceOnly && p.filter == nil {
		p.scan.NeedValue = false
		if p.wanted == nil && p.storeSkip == 0 { // the first cell of the store is included
			p.scan.Limit, p.scan.MaxVersions = 1, 1
		}
	}
	from, err := p.open(ctx, tx)
	if err != nil {
		return nil, err
	}
	result := &m.get.result
	*result, err = readRow(m.get.rows.start(p, from, m), g.ExistenceOnly)
	if closed := from.close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// readRow reads the only row.
func readRow(r *rows, existence bool) (Result, error) {
	for !r.ended && r.from.next() {
		c, value, err := r.from.cell()
		if err != nil {
			return Result{}, err
		}
		if !r.open {
			r.begin(c.Row)
		}
		if in := r.take(c, value); in && existence && r.plan.filter == nil {
			break
		}
	}
	if err := r.from.err(); err != nil {
		return Result{}, err
	}
	if !r.open || !r.end() {
		return Result{}, nil
	}
	if existence {
		return Result{Exists: true}, nil
	}
	return Result{Cells: r.cells, Exists: true}, nil
}

package rowapi

import (
	"context"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// MaxCellBytes is the most that key and value of a cell have, as in HBase where nothing else is said.
const MaxCellBytes = 10 << 20

// Options are how a Client works. The zero value is good for all.
type Options struct {
	// Database is what the namespace default is; empty is the database of that name.
	Database string
	// LockTimeout is how long an operation waits for rows that others write; 0 is the store's own.
	LockTimeout time.Duration
	// MaxCellBytes is the most that a cell's key and value have; 0 is the constant of that name.
	MaxCellBytes int
	// Disabled, where it is not nil, says of which tables every operation is ErrTableDisabled, by the
	// tables of their families. It is asked once for each catalog.
	Disabled func(families []*kv.Table) bool
}

// Client does HBase's operations on a store.
type Client struct {
	store   kv.Store
	options Options
}

// New is a Client of a store, which stays the caller's to close.
func New(store kv.Store, o Options) *Client {
	if o.Database == "" {
		o.Database = DefaultNamespace
	}
	if o.MaxCellBytes == 0 {
		o.MaxCellBytes = MaxCellBytes
	}
	return &Client{store: store, options: o}
}

// Families are the tables of a table's families, in HBase's order of families, and whether the table
// is disabled. ErrTableNotFound where there is no such table.
func (c *Client) Families(ctx context.Context, table TableName) (families []*kv.Table, disabled bool, err error) {
	return nil, false, ErrUnsupported
}

// Get reads a row. The Result has no cells where there is none.
func (c *Client) Get(ctx context.Context, table TableName, g *Get) (*Result, error) {
	return nil, ErrUnsupported
}

// Put writes cells of a row at one moment.
func (c *Client) Put(ctx context.Context, table TableName, p *Put) error { return ErrUnsupported }

// Delete removes cells of a row at one moment. It is no error where there are none.
func (c *Client) Delete(ctx context.Context, table TableName, d *Delete) error {
	return ErrUnsupported
}

// Increment adds to columns, and gives the new cells, in the order of families and qualifiers.
func (c *Client) Increment(ctx context.Context, table TableName, i *Increment) (*Result, error) {
	return nil, ErrUnsupported
}

// Append puts bytes behind values, and gives the new cells, in the order of families and qualifiers.
func (c *Client) Append(ctx context.Context, table TableName, a *Append) (*Result, error) {
	return nil, ErrUnsupported
}

// MutateRow does mutations of a row at one moment. The Result has the new cells of Increments and
// Appends.
func (c *Client) MutateRow(ctx context.Context, table TableName, m *RowMutations) (*Result, error) {
	return nil, ErrUnsupported
}

// CheckAndMutate mutates a row where a condition holds, and reports whether it did. The Result is as of
// MutateRow, and nil where the condition did not hold.
func (c *Client) CheckAndMutate(ctx context.Context, table TableName, m *CheckAndMutate) (bool, *Result, error) {
	return false, nil, ErrUnsupported
}

// Batch does actions, each for itself, and gives an Outcome for each. Those of one row are done in
// their order; others in any, or together. An error, beside no outcomes, is of what no action could do,
// as ErrTableNotFound.
func (c *Client) Batch(ctx context.Context, table TableName, actions []Action) ([]Outcome, error) {
	return nil, ErrUnsupported
}

// MutateRows does mutations of any rows of a table at one moment, in their order, or none.
// ErrUnsupported where the store cannot write several rows so.
func (c *Client) MutateRows(ctx context.Context, table TableName, mutations []Mutation) (*Result, error) {
	return nil, ErrUnsupported
}

// Snapshot is the store at one moment, for several scanners to read. Its methods may be called by
// many goroutines at once.
type Snapshot struct{}

// Snapshot takes one. It must be closed: it keeps the store from giving up what it reads.
func (c *Client) Snapshot(ctx context.Context) (*Snapshot, error) { return nil, ErrUnsupported }

// Scanner opens a scanner on the snapshot, which may be closed before the scanner is.
func (s *Snapshot) Scanner(ctx context.Context, table TableName, scan *Scan) (*Scanner, error) {
	return nil, ErrUnsupported
}

// Close gives the snapshot up, once all of its scanners are closed. It may be called again.
func (s *Snapshot) Close() {}

// Scanner opens a scanner, which must be closed. It reads one moment. The context ends it at any time.
func (c *Client) Scanner(ctx context.Context, table TableName, scan *Scan) (*Scanner, error) {
	return nil, ErrUnsupported
}

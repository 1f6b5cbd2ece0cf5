package rowapi

import (
	"time"

	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// Action is an element of a Batch: *Get, *Put, *Delete, *Increment, *Append, *RowMutations or
// *CheckAndMutate.
type Action interface {
	// TheRow returns the row that the action reads or writes.
	TheRow() []byte
}

// Mutation is an Action that writes: *Put, *Delete, *Increment or *Append.
type Mutation interface {
	Action
	mutation() *Attributes
}

// Attributes are what HBase lets a mutation carry besides its cells.
type Attributes struct {
	// TTL is how long the cells of a Put, Increment or Append exist, from their timestamps on, in
	// whole milliseconds; 0 is until they are removed. A cell that an Increment or Append makes has
	// the TTL of this mutation, not that of the previous cell.
	TTL time.Duration
	// Visibility and ACL are those of the mutation's cells. They are refused (ErrUnsupported).
	Visibility string
	ACL        []byte
}

// Put writes cells of one row.
type Put struct {
	Row []byte
	// Cells are the cells to write; their Row is ignored. A Timestamp of Latest means the store's
	// clock. A cell with the same column and timestamp is replaced.
	Cells []Cell
	Attributes
}

// NewPut returns a Put of no cells.
func NewPut(row []byte) *Put { return &Put{Row: row} }

// Add adds a cell at the store's clock, and returns the Put.
func (p *Put) Add(family string, qualifier, value []byte) *Put {
	return p.AddAt(family, qualifier, Latest, value)
}

// AddAt adds a cell at a timestamp, and returns the Put.
func (p *Put) AddAt(family string, qualifier []byte, timestamp int64, value []byte) *Put {
	p.Cells = append(p.Cells, Cell{Family: family, Qualifier: qualifier, Timestamp: timestamp, Value: value})
	return p
}

// DeleteKind says what one part of a Delete removes.
type DeleteKind uint8

// The kinds of deletes.
const (
	// DeleteColumns removes the versions of a column up to a timestamp; Latest means now.
	DeleteColumns DeleteKind = iota
	// DeleteColumn removes one version of a column; Latest means the newest one, even one in the future.
	DeleteColumn
	// DeleteFamily removes the versions of all columns of a family up to a timestamp; Latest means now.
	DeleteFamily
	// DeleteFamilyVersion removes the versions of all columns of a family with exactly this
	// timestamp; Latest means now.
	DeleteFamilyVersion
)

// Deletion is one part of a Delete. The kinds for a family ignore the Qualifier.
type Deletion struct {
	Kind      DeleteKind
	Family    string
	Qualifier []byte
	Timestamp int64
}

// Delete removes cells of one row. Versions later than now stay unless their timestamp is named.
type Delete struct {
	Row []byte
	// Parts are removed in order. No parts mean the whole row up to Timestamp.
	Parts []Deletion
	// Timestamp is for a Delete without Parts; NewDelete sets it to Latest, which means now.
	Timestamp int64
	Attributes
}

// NewDelete returns a Delete of the whole row, unless parts are added.
func NewDelete(row []byte) *Delete { return &Delete{Row: row, Timestamp: Latest} }

// Add adds a part, and returns the Delete.
func (d *Delete) Add(kind DeleteKind, family string, qualifier []byte, timestamp int64) *Delete {
	d.Parts = append(d.Parts, Deletion{kind, family, qualifier, timestamp})
	return d
}

// Delta is what is added to one column. The sum wraps around at 2^63.
type Delta struct {
	Family    string
	Qualifier []byte
	Amount    int64
}

// Increment adds to columns of one row that hold 64-bit integers, big endian, or nothing, which
// counts as 0. Each gets a version at the later of now and the found timestamp + 1.
type Increment struct {
	Row    []byte
	Deltas []Delta
	// Time is the range of versions of which the newest is incremented.
	Time TimeRange
	// NoResult leaves the Result empty; otherwise it has the new cells.
	NoResult bool
	Attributes
}

// NewIncrement returns an Increment of no columns.
func NewIncrement(row []byte) *Increment { return &Increment{Row: row} }

// Add adds a column, and returns the Increment.
func (i *Increment) Add(family string, qualifier []byte, amount int64) *Increment {
	i.Deltas = append(i.Deltas, Delta{family, qualifier, amount})
	return i
}

// Append appends bytes to the values of columns of one row; a missing column counts as empty. Each
// gets a version like those of an Increment.
type Append struct {
	Row []byte
	// Cells are what is appended; their Row and Timestamp are ignored.
	Cells []Cell
	// Time is the range of versions of which the newest is appended to.
	Time TimeRange
	// NoResult leaves the Result empty; otherwise it has the new cells.
	NoResult bool
	Attributes
}

// NewAppend returns an Append to no columns.
func NewAppend(row []byte) *Append { return &Append{Row: row} }

// Add adds a column, and returns the Append.
func (a *Append) Add(family string, qualifier, value []byte) *Append {
	a.Cells = append(a.Cells, Cell{Family: family, Qualifier: qualifier, Timestamp: Latest, Value: value})
	return a
}

// RowMutations are mutations of one row that are done atomically, in order.
type RowMutations struct {
	Row       []byte
	Mutations []Mutation
}

// Condition is the condition of a CheckAndMutate on its row.
type Condition struct {
	// Family and Qualifier are the column to check: its newest version in Time.
	Family    string
	Qualifier []byte
	// Op compares the Comparator's value, on the left, with the stored one: Less with 4 holds for a
	// stored 5. A Comparator that is nil or has no bytes means an absent or an empty value: then the
	// condition holds for such a value unless Op is NotEqual, and for others if it is NotEqual.
	Op         filter.CompareOp
	Comparator filter.Comparator
	// Filter, if not nil, replaces the column: the condition holds if any cell of the row passes.
	Filter filter.Filter
	// Time is the range of versions to check.
	Time TimeRange
}

// IfEquals returns the condition that a column's newest value is this one; nil means absent or empty.
func IfEquals(family string, qualifier, value []byte) Condition {
	return IfMatches(family, qualifier, filter.Equal, value)
}

// IfNotExists returns the condition that a column is absent or empty.
func IfNotExists(family string, qualifier []byte) Condition {
	return IfEquals(family, qualifier, nil)
}

// IfMatches returns the condition that op holds between the value and the stored one.
func IfMatches(family string, qualifier []byte, op filter.CompareOp, value []byte) Condition {
	return Condition{Family: family, Qualifier: qualifier, Op: op, Comparator: filter.BinaryComparator{Value: value}}
}

// CheckAndMutate mutates a row atomically if a condition holds.
type CheckAndMutate struct {
	Row []byte
	Condition
	// Mutations are done in order if the condition holds.
	Mutations []Mutation
}

// TheRow implements Action.
func (g *Get) TheRow() []byte { return g.Row }

// TheRow implements Action.
func (p *Put) TheRow() []byte { return p.Row }

// TheRow implements Action.
func (d *Delete) TheRow() []byte { return d.Row }

// TheRow implements Action.
func (i *Increment) TheRow() []byte { return i.Row }

// TheRow implements Action.
func (a *Append) TheRow() []byte { return a.Row }

// TheRow implements Action.
func (m *RowMutations) TheRow() []byte { return m.Row }

// TheRow implements Action.
func (c *CheckAndMutate) TheRow() []byte { return c.Row }

func (p *Put) mutation() *Attributes       { return &p.Attributes }
func (d *Delete) mutation() *Attributes    { return &d.Attributes }
func (i *Increment) mutation() *Attributes { return &i.Attributes }
func (a *Append) mutation() *Attributes    { return &a.Attributes }

// Outcome is the result of one action of a batch.
type Outcome struct {
	// Result has what was read: for a Get the row, for Increment and Append the new cells. It is
	// empty, and never nil, if there is nothing to read and Err is nil.
	Result *Result
	// Processed is true except for a CheckAndMutate whose condition did not hold.
	Processed bool
	// Err is the reason why nothing of the action was done.
	Err error
}

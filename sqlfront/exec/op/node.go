package op

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// Node is a step of a plan that puts rows into a frame. It is immutable. Open makes the operator
// that gives the rows; its errors are those of placeholders and expressions, which are MySQL's, of
// the store, of temporary files, and cancellation.
type Node interface {
	Open(x *Frame, want Desired) (Operator, Provided, error)
}

// Desired are the properties that the reader of rows would like them to have. None is demanded:
// Provided says which they have.
type Desired struct {
	// Order is the order of the rows.
	Order []ordering.Key
	// NotNull says that rows in which the first of its keys is NULL are not wanted. They may come all the same.
	NotNull bool
	// Leading says for whom an order by the first of its keys is better than none.
	Leading Leading
	// Together are expressions: rows that are alike in them come one after
	// the other.
	Together []expr.Node
	// OneTogether says that of the rows that are alike in Together the first one is enough.
	OneTogether bool
	// OnePerRow says that rows which differ in nothing but columns other than
	// those that depend on K alone are as good as one.
	OnePerRow bool
	// Counting, where it is not nil, is a condition: rows for which it does not hold, and that
	// differ in nothing but columns other than those that depend on K alone, are as good as one.
	Counting *Counting
	// Within are the only rows of the table that the reader asks for.
	Within partition.RowRange
	// Limit is the number of rows after which the reader stops; 0 is unknown.
	Limit int64
	// Sequenced asks for any sequence.
	Sequenced bool
}

// Counting is a condition on columns of a relation.
type Counting struct {
	Cond expr.Node
	// Settled says that it is the same each time that it is run, and Wanted are the qualifiers then
	// without which it does not hold, nil for all.
	Settled bool
	Wanted  []kv.QualifierRange
}

// Leading is what becomes of rows that are in order by the first of some keys.
type Leading uint8

const (
	NotLeading Leading = iota // nothing
	LeadsAll                  // all are read, and sorted within groups
	LeadsFirst                // the first ones are read, and sorted so
)

// OfSome is the wish for the rows below a filter or a join. A reader of all rows gains more from
// reading them on all processors than from their order.
func (l Leading) OfSome() Leading {
	if l == LeadsAll {
		return NotLeading
	}
	return l
}

// Provided says which of the Desired properties the rows have.
type Provided struct {
	Ordered, Together bool
	// Leading is by how many of the first keys the rows are in order, where they are not Ordered.
	Leading int
	// OnePerRow says that each K comes once.
	OnePerRow bool
	// Rows is the sequence of the rows, for those columns that sequenceOf
	// gives.
	Rows Sequence
}

// OrderOf turns what is provided of the desires passed below into what is provided of those above,
// which have more keys where only the first ones were passed on.
func (g *Provided) OrderOf(below, above Desired) {
	if g.Ordered && len(below.Order) < len(above.Order) {
		g.Ordered, g.Leading = false, len(below.Order)
	}
}

// Operator is a running node. It gives its rows in batches:
//
//   - A batch either has vectors, or is OneRow, whose row is in the frame. The source decides for
//     each batch which it is, and how many rows it has; a reader takes both, by an input. A point
//     read has no vectors, and pays for none.
//   - Vectors are evaluated by kernels, which refuse what would warn or fail. The reader then
//     evaluates the rows of the batch one after the other in the frame. Below it nothing has warned
//     or failed for the rows behind, else they would not have come as one batch: so warnings and
//     errors come in the order of the rows, as if there were no batches.
//   - All batches with vectors of one source have the same columns: kernels are compiled for the
//     first one. Other columns of the frame are the same for all rows of a batch.
//   - A batch and its bytes are valid until the next call. Its reader may narrow its Rows; nobody
//     writes OneRow.
type Operator interface {
	// Env is where rows are put: its Row is the frame. That of a query's result has the columns
	// of the result alone, or first; it may be another slice for each row.
	Env() *expr.Env
	// Next is the next rows, at least one; behind the last it is nil, however often it is called.
	// want is a hint: 1 of a reader that may stop after any row, else AllRows. An operator that is
	// asked for 1 reads ahead only where that costs little, and nothing that a user could notice.
	// Its errors are those of expressions, which are MySQL's, of the store, of temporary files, and
	// cancellation; behind one nothing more may be asked for but Close.
	Next(want int) (*kernel.Batch, error)
	// Close gives up what it holds, and gives the first error of that.
	Close() error
	// Step describes what runs, for EXPLAIN.
	Step() *explain.Step
}

// CloseAll closes all of a list, and gives their first error.
func CloseAll[T interface{ Close() error }](list []T) (first error) {
	for _, each := range list {
		first = cmp.Or(first, each.Close())
	}
	return first
}

// Dual gives one row without columns.
type Dual struct{}

type dual struct {
	x    *Frame
	done bool
}

func (Dual) Open(x *Frame, _ Desired) (Operator, Provided, error) {
	return &dual{x: x}, Provided{Ordered: true, Together: true}, nil
}

func (d *dual) Env() *expr.Env { return &d.x.Env }

func (d *dual) Next(int) (*kernel.Batch, error) {
	first := !d.done
	d.done = true
	return Single(first, nil)
}

func (d *dual) Close() error { return nil }

func (d *dual) Step() *explain.Step { return explain.NewStep("One row without a table") }

// PlainLimit is the limit where nothing has to be done to the rows before.
func (r *Desired) PlainLimit() int64 {
	if len(r.Order) > 0 || r.OnePerRow {
		return 0
	}
	return r.Limit
}

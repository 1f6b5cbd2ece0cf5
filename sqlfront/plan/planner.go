package plan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
)

// Planner is what planning needs to know. It holds no values of placeholders.
type Planner struct {
	// Catalog is the catalog of the snapshot that the plan will read.
	Catalog *kv.Catalog
	// ForView refuses what nobody but the session would see: the plan is of a view's SELECT.
	ForView bool
	// Database is the current database, or empty.
	Database string
	// Virtual is the catalog table of that name, or a nil interface; owned
	// says that the database has no other tables than virtual ones. It may be
	// nil.
	Virtual func(database, table string) (t VirtualTable, owned bool)
	// Hidden reports whether a database of the catalog takes the place of one of Virtual's.
	Hidden func(c *kv.Catalog, database string) bool
	// Arguments are what the statement is planned for.
	Arguments *expr.Arguments
	// AnyValue gives a column that is neither grouped nor determined by the
	// grouped ones the value of some row of its group, as MySQL does without
	// ONLY_FULL_GROUP_BY; else it is error 1055.
	AnyValue bool
	// Access is asked for the rights that the statement takes; nil needs none.
	Access *rights.Access
	// Meter counts the work of planning; its context ends it.
	Meter steps.Meter
	// Columns counts those of the SELECTs that were planned.
	Columns int
}

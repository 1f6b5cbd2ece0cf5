package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// Planner plans statements. It holds no values of placeholders.
type Planner struct {
	relation.Resolver
	// AnyValue gives a column that is neither grouped nor determined by the grouped ones the value of some
	// row of its group, as MySQL does without ONLY_FULL_GROUP_BY; otherwise such a column is error 1055.
	AnyValue bool
	// Columns counts the columns of the SELECTs that were planned.
	Columns int
}

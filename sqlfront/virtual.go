package sqlfront

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan"
)

// isVirtualDatabase reports whether a database holds catalog tables alone.
func isVirtualDatabase(name string) bool { return strings.EqualFold(name, "information_schema") }

// virtual finds the catalog tables.
func (e *Engine) virtual(database, table string) (plan.VirtualTable, bool) {
	return nil, isVirtualDatabase(database)
}

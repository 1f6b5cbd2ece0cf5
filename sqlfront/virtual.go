package sqlfront

import "github.com/hbasekv/hbasekv/sqlfront/schema"

// isVirtualDatabase reports whether a database holds catalog tables alone.
func isVirtualDatabase(name string) bool { return schema.IsVirtual(name) }

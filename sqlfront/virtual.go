package sqlfront

import "github.com/hbasekv/hbasekv/sqlfront/infoschema"

// isVirtualDatabase reports whether a database holds catalog tables alone.
func isVirtualDatabase(name string) bool { return infoschema.IsVirtual(name) }

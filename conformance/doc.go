// Package conformance tests hbasekv as its users see it: through database/sql
// alone. It has no code of its own.
package conformance

// Package orm runs the ORMs that speak MySQL on the driver, unmodified and
// through their own MySQL dialects. It is a module of its own, so that the
// driver's users do not get the ORMs' requirements:
//
//	cd conformance/orm && go test ./...
//
// Each ORM has a file of its own. The programs that show their use stand in
// the pages docs/orm-*.md, which conformance's TestDocsPages runs.
package orm

// Package orm runs the ORMs that speak MySQL on the driver, unmodified and
// through their own MySQL dialects. It is a separate module, so that the
// driver's users do not get the ORMs' requirements:
//
//	cd conformance/orm && go test ./...
//
// Each ORM has its own file. The programs that show their use are in
// the pages docs/orm-*.md, which conformance's TestDocsPages runs.
package orm

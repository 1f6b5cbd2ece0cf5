// Package orm runs the ORMs that speak MySQL on the driver, unmodified and
// through their own MySQL dialects. It is a module of its own, so that the
// driver's users do not get the ORMs' requirements:
//
//	cd conformance/orm && go test ./...
//
// Each ORM has a file of its own, which is also an example of its use: the
// model with its tags, migration, and how to read the views of the versions.
package orm

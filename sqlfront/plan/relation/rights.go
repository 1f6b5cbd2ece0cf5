package relation

import "github.com/hbasekv/hbasekv/sqlfront/rights"

// Restrict makes the reading of each of the relation's columns ask for SELECT on it: the statement changes
// the relation, which by itself needs no privilege to read it.
func (r *Relation) Restrict(in *Resolver) {
	if in.Access != nil && !r.isTemporary() {
		r.access = in.Access
		r.groupName = GroupOf(in.Catalog, r.Database, r.Name)
	}
}

// Read checks the privilege to read a column of a relation that is restricted.
func (r *Relation) Read(column string) error {
	if r.access == nil {
		return nil
	}
	return r.access.Column(rights.Select, r.Database, r.Name, r.groupName, column)
}

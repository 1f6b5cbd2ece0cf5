package kv

import (
	"slices"

	"github.com/hbasekv/hbasekv/partition"
)

// DDL is a set of catalog changes that not every store supports. Every store can
// create and drop databases and tables, alter a table without renaming it, truncate a
// table that is alone in its group, and split RANGE partitions.
type DDL uint

const (
	// ChangeViews is creating, altering and dropping views.
	ChangeViews DDL = 1 << iota
	// ChangeGroups is creating and altering table groups. Without it they are created
	// and dropped with their tables.
	ChangeGroups
	// SetAttributes is storing the front's attributes of the catalog and of databases.
	SetAttributes
	// RenameTables is renaming a table.
	RenameTables
	// ChangePartitions is adding, dropping, truncating and exchanging partitions.
	ChangePartitions
	// TruncateFamilies is truncating one of several tables of a group.
	TruncateFamilies
	// DropFullDatabases is dropping a database with its tables.
	DropFullDatabases
	// ChangeSeveral is changing several tables at once.
	ChangeSeveral
	// ChangeIndexes is adding an index to a table.
	ChangeIndexes
	// AllDDL is every change.
	AllDDL DDL = 1<<iota - 1
)

// refusals are the messages for changes that a store does not support.
var refusals = map[DDL]string{
	ChangeViews:       "stored views in this store: use WITH ... AS in the query",
	ChangeGroups:      "table groups without tables in this store: CREATE TABLE group$family creates the group",
	SetAttributes:     "character sets of databases in this store",
	RenameTables:      "renaming a table in this store: create another with CREATE TABLE ... LIKE and copy the rows",
	ChangePartitions:  "adding, dropping, truncating and exchanging partitions in this store: use SPLIT TABLE to add partitions and DELETE to empty one",
	TruncateFamilies:  "TRUNCATE of one of several families in this store: use DELETE, or DROP and CREATE the table again",
	DropFullDatabases: "DROP DATABASE of a database with tables in this store: drop the tables first",
	ChangeIndexes:     "indexes in this store: in the same transaction, write to a second table whose keys begin with the indexed value",
	ChangeSeveral:     "several changes at once in this store: change one table at a time",
}

// Allows returns ErrUnsupported if the store does not support one of the changes.
func (l Limits) Allows(changes DDL) error {
	for each := DDL(1); each < AllDDL; each <<= 1 {
		if changes&each&^l.DDL != 0 {
			return ErrUnsupported{What: refusals[each]}
		}
	}
	return nil
}

// allowsLayout returns ErrUnsupported if the store does not support the partitioning.
func (l Limits) allowsLayout(p *partition.Scheme) error {
	switch {
	case !slices.Contains(l.Partitionings, p.Method()):
		return ErrUnsupported{What: "PARTITION BY KEY in this store: use PARTITION BY RANGE COLUMNS(K)"}
	case p.Slices() != nil && !l.Slices:
		return ErrUnsupported{What: "partitions by time in this store: use a TTL to remove old cells"}
	case !l.Bounded && p.Method() == partition.Range && p.Bounds(p.Len()-1).End != nil:
		return ErrUnsupported{What: "a last partition below MAXVALUE in this store: add a partition VALUES LESS THAN (MAXVALUE)"}
	}
	return nil
}

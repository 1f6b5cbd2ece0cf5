// Package temptable is the temporary tables of one session, as its statements see and change them
// (https://dev.mysql.com/doc/refman/5.7/en/create-temporary-table.html). Package kv/temporary keeps what they
// hold.
package temptable

import (
	"cmp"
	"context"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/temporary"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Tables are the session's temporary tables. They are used by one goroutine at a time.
type Tables struct {
	*temporary.Tables // nil before the first
	// Plans are those of the session's statements while it has temporary tables.
	Plans statement.Own
	// Store is the session's: that of all sessions, with the temporary tables if there are any. Estimator is
	// that of all sessions, or nil if that is nil, with the temporary tables. They are fields because each
	// statement needs them.
	Store     kv.Store
	Estimator kv.Estimator

	store  kv.Store
	others kv.Estimator
	memory *quota.Memory
	txns   *transaction.State
	maker  index.Maker
	ddl    func(context.Context, *ast.Parsed, []value.Value) *ddl.DDL
}

// Start sets what the tables work with: the store of all sessions and its estimator, which may be nil, the
// session's memory and transactions, the maker of index entries, and the function that makes the DDL of one of
// the session's statements over that store.
func (t *Tables) Start(store kv.Store, estimator kv.Estimator, memory *quota.Memory, txns *transaction.State, maker index.Maker,
	ddl func(context.Context, *ast.Parsed, []value.Value) *ddl.DDL) {
	t.store, t.others, t.memory, t.txns, t.maker, t.ddl = store, estimator, memory, txns, maker, ddl
	t.look()
}

// look makes the session see the present tables.
func (t *Tables) look() {
	t.Store, t.Estimator, t.Plans = t.store, t.others, statement.Own{}
	if !t.Some() {
		return
	}
	t.Store = t.Tables
	if t.others != nil {
		t.Estimator = temporary.Estimator(t.others)
	}
}

// Some reports whether there are any tables.
func (t *Tables) Some() bool { return t.Tables != nil && t.Len() > 0 }

// Owns reports whether a name, given the current database, is that of one of the tables.
func (t *Tables) Owns(database string, name ast.TableName) bool {
	return t.Some() && t.Find(cmp.Or(name.Database, database), name.Name) != nil
}

// noTables is a catalog, of which only the own tables matter.
var noTables = kv.EmptyCatalog()

// Find returns the table of that name, or the family that has the rows of a typed one; nil if there is none.
func (t *Tables) Find(database, name string) *kv.Table {
	return schema.Stored(t.Tables.Over(noTables), database, name)
}

// Drop drops all the tables.
func (t *Tables) Drop() {
	if t.Tables != nil {
		_ = t.Close() // which cannot fail
		t.Tables = nil
		t.look()
	}
}

// Over returns a catalog that is being changed, with the tables in it if there are any.
func (t *Tables) Over(c *kv.Catalog) *kv.Catalog {
	if !t.Some() || c.IsOwn() {
		return c
	}
	return t.Tables.Over(c)
}

// Writes reports whether a statement, given the current database, writes nothing but temporary tables, which
// a read-only transaction and a read lock allow. For a join all tables count.
func (t *Tables) Writes(database string, st ast.Statement) bool {
	if !t.Some() {
		return false
	}
	switch st := st.(type) {
	case *ast.Insert:
		return t.Owns(database, ast.TableName{Database: st.Node.Table.Qualifier.String(), Name: st.Node.Table.Name.String()})
	case *ast.Update:
		return t.ownsAll(database, st.Node.TableExprs)
	case *ast.Delete:
		return t.ownsAll(database, st.Node.TableExprs)
	case *ast.LoadData:
		return t.Owns(database, ast.TableName{Database: st.Table.Database(), Name: st.Table.Name.String()})
	}
	return false
}

func (t *Tables) ownsAll(database string, from sqlparser.TableExprs) bool {
	all := true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if named, ok := n.(*ast.Table); ok {
			all = all && t.Owns(database, ast.TableName{Database: named.Database(), Name: named.Name.String()})
		}
		return all, nil
	}, from)
	return all
}

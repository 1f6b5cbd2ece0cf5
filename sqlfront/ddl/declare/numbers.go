package declare

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// numberColumn makes a column AUTO_INCREMENT: 1063 for what is no number, or one that is exact and
// not whole, and 1067 where it has a default.
func numberColumn(c *typed.Column, def *ast.ColumnDef) error {
	switch base := c.Type.Base; {
	case !base.IsInteger() && !base.IsFloat():
		return mysqlerr.New(mysqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s'", c.Name)
	case def.Default != nil:
		return mysqlerr.New(mysqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name)
	}
	c.AutoIncrement, c.NotNull = true, true
	return nil
}

// checkNumbers is 1075 where several columns are AUTO_INCREMENT, or one that is not the first of the
// primary key.
func checkNumbers(t *typed.Table) error {
	for i := range t.Columns {
		if t.Columns[i].AutoIncrement && (len(t.Key) == 0 || t.Key[0] != i) {
			return mysqlerr.New(mysqlerr.WrongAutoKey,
				"Incorrect table definition; there can be only one auto column and it must be defined as a key")
		}
	}
	return nil
}

// Number has the counter of a new table begin as the statement says; 1235 where the store cannot number
// its rows.
func Number(store kv.Store, t *kv.Table, face *typed.Table, st *ast.CreateTable) error {
	if _, ok := store.(kv.Counters); !ok && face.Numbered() >= 0 {
		return mysqlerr.Unsupported("AUTO_INCREMENT and tables without a primary key in this store")
	}
	if n := st.Options.AutoIncrement; n != nil && face.AutoIncrement() >= 0 {
		t.Counter.From = *n
	}
	return nil
}

// Permitted is a change of the catalog that is refused where it is not permitted.
type Permitted func(func(*kv.CatalogChange) error) func(*kv.CatalogChange) error

// renumber has the counter go on at what ALTER TABLE says, or at what follows the table's largest
// number where that is more, as in InnoDB. A column that becomes AUTO_INCREMENT begins so. The numbers
// of rows without a declared key follow, too, so that rows that were loaded as cells are not met again.
func (a *Alter) renumber(tx kv.Txn, from, to *typed.Table) error {
	switch _, ok := a.Store.(kv.Counters); {
	case to.Numbered() < 0, a.number == nil && from.Numbered() >= 0:
		return nil
	case !ok:
		return mysqlerr.Unsupported("AUTO_INCREMENT in this store")
	}
	n := uint64(1)
	if a.number != nil {
		n = max(n, *a.number)
	}
	largest, err := lastNumber(a.Ctx, tx, a.now, to)
	a.Next.Counter = a.now.Counter.Anew(max(n, min(largest, kv.MaxCount)+1))
	return err
}

// lastNumber is the largest value of a column that is AUTO_INCREMENT, which the last row has; 0 where
// none is above 0.
func lastNumber(ctx context.Context, tx kv.Txn, t *kv.Table, face *typed.Table) (n uint64, err error) {
	cursor, err := tx.Scan(ctx, []*kv.Table{t}, &kv.Scan{Reverse: true, Ordered: true, MaxVersions: 1})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		if n, ok := face.Number(cursor.Cell().Row); ok {
			return n, nil
		}
	}
	return 0, cursor.Err()
}

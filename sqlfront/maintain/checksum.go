package maintain

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Checksum is CHECKSUM TABLE for the tables as the transaction sees them: it reads every version. Other names
// have a NULL checksum, with an error to Keep; QUICK always does, since no checksums are stored. The errors
// are the store's. (https://dev.mysql.com/doc/refman/5.7/en/checksum-table.html)
func (k *Keeper) Checksum(ctx context.Context, txn kv.Txn, st *ast.ChecksumTable) (*relation.Result, error) {
	out := &relation.Result{Columns: []relation.Column{
		{Name: "Table", Type: value.Type{Kind: value.Text, Nullable: true, Length: 128}},
		{Name: "Checksum", Type: value.Type{Kind: value.Int, Nullable: true}},
	}}
	for _, name := range k.named(st.Names) {
		sum := value.Value{}
		if t := k.checksummed(txn, name); t != nil && !st.Quick {
			n, err := checksum(ctx, txn, t)
			if err != nil {
				return nil, err
			}
			sum = value.NewInt(int64(n))
		}
		out.Rows = append(out.Rows, []value.Value{value.NewString(name.Database + "." + name.Name), sum})
	}
	return out, nil
}

// checksummed is the table of that name. If there is none, SHOW WARNINGS says why.
func (k *Keeper) checksummed(txn kv.Txn, name ast.TableName) *kv.Table {
	catalog := txn.Catalog()
	t := schema.Stored(catalog, name.Database, name.Name)
	switch {
	case t != nil:
	case catalog.View(name.Database, name.Name) != nil, catalog.Group(name.Database, name.Name) != nil,
		infoschema.IsVirtual(name.Database):
		k.Keep(mysqlerr.New(mysqlerr.WrongObject, "'%s.%s' is not BASE TABLE", name.Database, name.Name))
	default:
		k.Keep(mysqlerr.New(mysqlerr.NoSuchTable, "%s", missingTable(name.Database, name.Name)))
	}
	return t
}

// checksum is the sum of the checksums of the versions, in any order. It is the same as MySQL's for a table
// with the same columns and rows.
func checksum(ctx context.Context, txn kv.Txn, t *kv.Table) (sum uint32, err error) {
	err = readTable(ctx, txn, t, func(c *kv.Cell, v []byte) { sum += cellChecksum(t, c, v) })
	return sum, err
}

// cellChecksum is MySQL's checksum of a row: of the NULL bits, if a column is nullable, and of each column's
// value.
func cellChecksum(t *kv.Table, c *kv.Cell, v []byte) uint32 {
	sum := uint32(0)
	update := func(b []byte) { sum = crc32.Update(sum, crc32.IEEETable, b) }
	if t.Value.Nullable {
		bits := byte(0xFE)
		if v == nil {
			bits = 0xFF
		}
		update([]byte{bits})
	}
	update(c.Row)
	update(c.Qualifier)
	update(binary.LittleEndian.AppendUint64(nil, uint64(c.Timestamp)))
	update(v)
	return sum
}

// readTable calls fn for each version with its value, until one cannot be read.
func readTable(ctx context.Context, txn kv.Txn, t *kv.Table, fn func(*kv.Cell, []byte)) error {
	c, err := txn.Scan(ctx, []*kv.Table{t}, &kv.Scan{NeedValue: true})
	if err != nil {
		return err
	}
	for err == nil && c.Next() {
		var v []byte
		if v, err = c.Value(); err == nil {
			fn(c.Cell(), v)
		}
	}
	return errors.Join(err, c.Err(), c.Close())
}

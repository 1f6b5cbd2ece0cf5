package sqlfront

import (
	"context"
	"encoding/binary"
	"hash/crc32"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// checksumTables is CHECKSUM TABLE, in the open transaction where there is one. It
// reads every version. What is no table has no checksum, and QUICK gives none:
// none is kept. (https://dev.mysql.com/doc/refman/5.7/en/checksum-table.html)
func (s *Session) checksumTables(ctx context.Context, st *parse.ChecksumTable) (rows Rows, err error) {
	tx, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if tx != nil {
		defer func() { tx.abortIf(err) }()
		if _, err = tx.next(ctx); err != nil {
			return nil, err
		}
	}
	txn, end, err := s.reading(ctx, tx)
	if err != nil {
		return nil, err
	}
	defer end()
	out := &tableRows{columns: []Column{
		{Name: "Table", Type: value.Type{Kind: value.Text, Nullable: true, Length: 128}},
		{Name: "Checksum", Type: value.Type{Kind: value.Int, Nullable: true}},
	}}
	for _, name := range s.named(st.Names) {
		sum := value.Value{}
		if t := s.checksummed(txn, name); t != nil && !st.Quick {
			n, err := checksum(ctx, txn, t)
			if err != nil {
				return nil, err
			}
			sum = value.NewInt(int64(n))
		}
		out.rows = append(out.rows, []value.Value{textValue(name.Database + "." + name.Name), sum})
	}
	return out, nil
}

// checksummed is the table of that name. Where there is none, a line of SHOW
// WARNINGS says why.
func (s *Session) checksummed(txn kv.Txn, name parse.TableName) *kv.Table {
	catalog := txn.Catalog()
	t := catalog.Table(name.Database, name.Name)
	switch {
	case t != nil:
	case catalog.View(name.Database, name.Name) != nil, catalog.Group(name.Database, name.Name) != nil,
		isVirtualDatabase(name.Database):
		s.failed(mysqlerr.New(mysqlerr.WrongObject, "'%s.%s' is not BASE TABLE", name.Database, name.Name))
	default:
		s.failed(mysqlerr.New(mysqlerr.NoSuchTable, "%s", missingTable(name.Database, name.Name)))
	}
	return t
}

// checksum is the sum of the checksums of the versions, whatever their order is. It
// is MySQL's for a table of the same columns and rows.
func checksum(ctx context.Context, txn kv.Txn, t *kv.Table) (sum uint32, err error) {
	err = readTable(ctx, txn, t, func(c *kv.Cell, v []byte) { sum += cellChecksum(t, c, v) })
	return sum, err
}

// cellChecksum is MySQL's checksum of a row: of its bits for NULL, which are there
// where a column is nullable, and of what each column holds.
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

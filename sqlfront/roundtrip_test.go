package sqlfront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// What SHOW CREATE TABLE prints makes the same table again.
func TestShowCreateTableMakesTheTable(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		store := kvtest.NewModel()
		e := sqlfront.NewEngine(store)
		require.NoError(t, e.EnsureDatabase(ctx, "d"))
		s, err := e.NewSession(context.Background(), sqlfront.SessionOptions{Database: "d"})
		require.NoError(t, err)
		want := drawTable(t)
		require.NoError(t, store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
			if want.Group != "" && rapid.Bool().Draw(t, "explicit") {
				g := kv.Group{Database: "d", Name: want.Group, Explicit: true, Retention: drawRetention(t)}
				require.NoError(t, c.CreateGroup(g))
			}
			_, err := c.CreateTable(want)
			return err
		}))
		name := "`" + strings.ReplaceAll(want.Name, "`", "``") + "`"
		text := cell(t, s, "SHOW CREATE TABLE "+name, 1)
		run(t, s, "DROP TABLE "+name)
		run(t, s, text)
		require.Equal(t, described(&want), described(kvtest.Catalog(store).Table("d", want.Name)), text)
		require.Equal(t, text, cell(t, s, "SHOW CREATE TABLE "+name, 1))
	})
}

// described is a descriptor without what differs from table to table.
func described(t *kv.Table) string {
	c := *t
	c.ID, c.Created, c.Layout = 0, 0, nil
	out, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func run(t *rapid.T, s *sqlfront.Session, sql string) sqlfront.Rows {
	st, err := s.Prepare(context.Background(), sql)
	require.NoError(t, err, sql)
	rows, err := s.Query(context.Background(), st, nil)
	require.NoError(t, err, sql)
	return rows
}

func cell(t *rapid.T, s *sqlfront.Session, sql string, column int) string {
	row, err := run(t, s, sql).Next()
	require.NoError(t, err)
	return row[column].String()
}

func drawTable(t *rapid.T) kv.Table {
	names := rapid.StringMatching("[a-z`é ]{0,5}[a-z]")
	table := kv.Table{
		Database: "d", Name: names.Draw(t, "name"),
		MaxRow: rapid.IntRange(1, 65535).Draw(t, "row"), MaxQualifier: rapid.IntRange(1, 65535).Draw(t, "qualifier"),
		Value: rapid.SampledFrom(valueTypes).Draw(t, "value"),
	}
	table.Retention = drawRetention(t)
	declared := schema.Edit(&table)
	declared.Comment = rapid.String().Draw(t, "comment")
	declared.Text = rapid.SampledFrom(texts).Draw(t, "text")
	for i, name := range declared.ColumnNames() {
		if rapid.Bool().Draw(t, "lower") {
			name = strings.ToLower(name)
		}
		declared.SetColumn(i, schema.Label{Name: name, Comment: rapid.String().Draw(t, "column comment")})
	}
	table.Value.Nullable = rapid.Bool().Draw(t, "nullable")
	switch rapid.IntRange(0, 2).Draw(t, "grouped") {
	case 0:
		table.Group, table.Family = table.Name, names.Draw(t, "family")
		table.Name += "$" + table.Family
	case 1:
		table.Group, table.Family, declared.HBase = table.Name, names.Draw(t, "family"), true
		table.Name += "_" + table.Family
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "prefixes") {
		n := rapid.IntRange(1, 100).Draw(t, "length")
		declared.Prefixes = append(declared.Prefixes, schema.PrefixColumn{Name: fmt.Sprintf("p`%d", i), Length: n,
			Max: n + rapid.IntRange(0, 5).Draw(t, "more"), Stored: rapid.Bool().Draw(t, "stored"),
			Comment: rapid.String().Draw(t, "comment")})
	}
	if rapid.Bool().Draw(t, "timed") {
		declared.TimeColumn = &schema.TimeColumn{Name: "g`", Stored: rapid.Bool().Draw(t, "stored"), Comment: rapid.String().Draw(t, "comment"),
			Behind: rapid.IntRange(0, len(declared.Prefixes)).Draw(t, "behind")}
	}
	table.Partitioning = drawSlices(t, &table, drawScheme(t, &table))
	return table
}

func drawRetention(t *rapid.T) kv.Retention {
	r := kv.Retention{
		TTLSeconds:  rapid.SampledFrom([]int64{0, 0, 1, 3600, 1<<31 - 2}).Draw(t, "ttl"),
		MaxVersions: rapid.SampledFrom([]int{0, 0, 1, 5, 1<<31 - 2}).Draw(t, "max versions"),
		MinVersions: rapid.SampledFrom([]int{0, 0, 1, 5}).Draw(t, "min versions"),
		DropExpired: rapid.Bool().Draw(t, "drop expired"),
	}
	if r.MaxVersions > 0 {
		r.MinVersions = min(r.MinVersions, r.MaxVersions)
	}
	return r
}

// drawSlices cuts a scheme by time, if the table has a column for it.
func drawSlices(t *rapid.T, table *kv.Table, rows *partition.Scheme) *partition.Scheme {
	if schema.Of(table).TimeColumn == nil || rapid.Bool().Draw(t, "whole") {
		return rows
	}
	n := rapid.IntRange(1, 4).Draw(t, "slices")
	by := &partition.Slices{Upper: rapid.SliceOfNDistinct(rapid.Int64(), n, n, rapid.ID[int64]).Draw(t, "times")}
	slices.Sort(by.Upper)
	for i := range n {
		by.Names = append(by.Names, fmt.Sprintf("slice `%d", i))
	}
	if by.Max = rapid.Bool().Draw(t, "open"); by.Max {
		by.Upper = by.Upper[:n-1]
	}
	by.Outer = rows.Method() == partition.None || rows.Method() != partition.Range && rapid.Bool().Draw(t, "outer")
	s, err := rows.Sliced(by)
	require.NoError(t, err)
	return s
}

var valueTypes = []kv.ValueType{
	{Kind: schema.VarBinary, Max: 1}, {Kind: schema.VarBinary, Max: 1 << 20}, {Kind: schema.Blob, Max: 1<<16 - 1},
	{Kind: schema.MediumBlob, Max: 1<<24 - 1}, {Kind: schema.LongBlob, Max: 512 << 20},
}

var texts = []schema.Text{
	{}, {Charset: "utf8mb4", Collation: "utf8mb4_bin"}, {Charset: "latin1", Collation: "latin1_swedish_ci"},
	{Charset: "binary", Collation: "binary"}, {Charset: "gbk", Collation: "gbk_bin"},
}

func drawScheme(t *rapid.T, table *kv.Table) (s *partition.Scheme) {
	n := rapid.IntRange(1, 5).Draw(t, "partitions")
	var err error
	switch method := rapid.IntRange(0, 3).Draw(t, "method"); {
	case method == 1:
		s, err = partition.NewKey(n)
	case method == 2 && len(schema.Of(table).Prefixes) > 0:
		p := schema.Of(table).Prefixes[rapid.IntRange(0, len(schema.Of(table).Prefixes)-1).Draw(t, "by")]
		table.PartitionColumn = p.Name
		s, err = partition.NewPrefixKey(n, p.Length)
	case method == 3:
		s, err = partition.NewRange(drawBounds(t, n))
	default:
		return &partition.Scheme{}
	}
	require.NoError(t, err)
	return s
}

func drawBounds(t *rapid.T, n int) (names []string, upper [][]byte) {
	bounds := rapid.SliceOfNDistinct(rapid.SliceOfN(rapid.Byte(), 0, 4), n, n, func(b []byte) string { return string(b) }).Draw(t, "bounds")
	slices.SortFunc(bounds, func(a, b []byte) int { return strings.Compare(string(a), string(b)) })
	for i := range bounds {
		names = append(names, fmt.Sprintf("part `%d", i))
	}
	if rapid.Bool().Draw(t, "open") {
		bounds[n-1] = nil
	}
	return names, bounds
}

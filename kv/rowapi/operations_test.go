package rowapi_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

func TestPutsAndGets(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		p.put("r b:q - now\nr a:q 5 five\nr a:q 7 seven\nr a:q 7 again\nr a: 0 zero\nr a:z 9223372036854775806 last")
		require.Equal(t, "r/a:/0=zero r/a:q/7=again r/a:z/9223372036854775806=last r/b:q/1000000=now",
			p.get(&rowapi.Get{Row: []byte("r")}))
		require.Equal(t, "", p.get(&rowapi.Get{Row: []byte("q")}))
		columns := func(c rowapi.Columns) string { return p.get(&rowapi.Get{Row: []byte("r"), Columns: c}) }
		all := rowapi.AllVersions
		require.Equal(t, "r/a:q/7=again r/a:q/5=five", columns(rowapi.Columns{MaxVersions: all,
			Families: []rowapi.FamilyColumns{{Family: "a", Qualifiers: bytesOf("q", "none", "q")}}}))
		require.Equal(t, "r/a:/0=zero r/b:q/1000000=now", columns(rowapi.Columns{
			Families: []rowapi.FamilyColumns{{Family: "b"}, {Family: "a", Qualifiers: bytesOf("")}}}))
		require.Equal(t, "r/a:/0=zero", columns(rowapi.Columns{Families: []rowapi.FamilyColumns{{Family: "a",
			Qualifiers: [][]byte{nil}}}}))
		require.Equal(t, "r/a:q/5=five", columns(rowapi.Columns{Time: rowapi.TimeRange{Min: 5, Max: 7}}))
		require.Equal(t, "", columns(rowapi.Columns{Time: rowapi.TimeRange{Min: 5, Max: 5}}))
		require.Equal(t, "r/a:z/9223372036854775806=last r/b:q/1000000=now",
			columns(rowapi.Columns{Time: rowapi.TimeRange{Min: 8, Max: rowapi.Latest}}))
		require.Equal(t, "r/a:q/5=five r/b:q/1000000=now", columns(rowapi.Columns{Families: []rowapi.FamilyColumns{
			{Family: "a", Qualifiers: bytesOf("q"), Time: &rowapi.TimeRange{Min: 1, Max: 6}}, {Family: "b"}}}))
		require.Equal(t, "r/a:q/7=again", columns(rowapi.Columns{MaxVersions: all, StoreLimit: 1, StoreOffset: 1}))

		r, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("r"), ExistenceOnly: true})
		require.NoError(t, err)
		require.Equal(t, &rowapi.Result{Exists: true}, r)
		r, err = p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("no"), ExistenceOnly: true})
		require.NoError(t, err)
		require.Equal(t, &rowapi.Result{}, r)
		value, ok := (&rowapi.Result{Cells: []rowapi.Cell{{Family: "a", Qualifier: []byte("q"),
			Value: []byte("v")}}}).Value("a", []byte("q"))
		require.Equal(t, "v true", string(value)+" "+map[bool]string{true: "true"}[ok])

		// Two in the same millisecond: the later one wins.
		p.put("r b:q - more")
		require.Equal(t, "r/b:q/1000000=more", columns(rowapi.Columns{MaxVersions: all,
			Families: []rowapi.FamilyColumns{{Family: "b"}}}))
	})
}

func TestDeletes(t *testing.T) {
	const rows = "r a:q 5 v\nr a:q 7 v\nr a:q 4000000000000 v\nr a:p 5 v\nr b:q 5 v\ns a:q 5 v"
	cases := []struct {
		what string
		del  *rowapi.Delete
		left string
	}{
		{"row", rowapi.NewDelete([]byte("r")), "r/a:q/4000000000000=v"},
		{"row up to", &rowapi.Delete{Row: []byte("r"), Timestamp: 6}, "r/a:q/4000000000000=v r/a:q/7=v"},
		{"column", part(rowapi.DeleteColumns, "a", "q", rowapi.Latest), "r/a:p/5=v r/a:q/4000000000000=v r/b:q/5=v"},
		{"column up to", part(rowapi.DeleteColumns, "a", "q", 5), "r/a:p/5=v r/a:q/4000000000000=v r/a:q/7=v r/b:q/5=v"},
		{"newest version", part(rowapi.DeleteColumn, "a", "q", rowapi.Latest), "r/a:p/5=v r/a:q/7=v r/a:q/5=v r/b:q/5=v"},
		{"one version", part(rowapi.DeleteColumn, "a", "q", 5), "r/a:p/5=v r/a:q/4000000000000=v r/a:q/7=v r/b:q/5=v"},
		{"absent version", part(rowapi.DeleteColumn, "a", "q", 6),
			"r/a:p/5=v r/a:q/4000000000000=v r/a:q/7=v r/a:q/5=v r/b:q/5=v"},
		{"absent column", part(rowapi.DeleteColumn, "a", "none", rowapi.Latest),
			"r/a:p/5=v r/a:q/4000000000000=v r/a:q/7=v r/a:q/5=v r/b:q/5=v"},
		{"family", part(rowapi.DeleteFamily, "a", "", rowapi.Latest), "r/a:q/4000000000000=v r/b:q/5=v"},
		{"family up to", part(rowapi.DeleteFamily, "a", "", 5), "r/a:q/4000000000000=v r/a:q/7=v r/b:q/5=v"},
		{"family version", part(rowapi.DeleteFamilyVersion, "a", "", 5), "r/a:q/4000000000000=v r/a:q/7=v r/b:q/5=v"},
		{"parts", part(rowapi.DeleteColumn, "a", "q", 7).Add(rowapi.DeleteFamily, "b", nil, rowapi.Latest),
			"r/a:p/5=v r/a:q/4000000000000=v r/a:q/5=v"},
	}
	everywhere(t, func(t *testing.T, p *place) {
		for _, c := range cases {
			p.put(rows)
			require.NoError(t, p.client.Delete(p.ctx, p.table, c.del), c.what)
			require.Equal(t, c.left, p.all("r"), c.what)
			require.Equal(t, "s/a:q/5=v", p.all("s"), c.what)
		}
		// What is put after a deletion is seen, whatever its timestamp.
		require.NoError(t, p.client.Delete(p.ctx, p.table, &rowapi.Delete{Row: []byte("r"), Timestamp: math.MaxInt64 - 1}))
		p.put("r a:q 3 v")
		require.Equal(t, "r/a:q/3=v", p.all("r"))
	})
}

func part(kind rowapi.DeleteKind, family, qualifier string, at int64) *rowapi.Delete {
	return rowapi.NewDelete([]byte("r")).Add(kind, family, []byte(qualifier), at)
}

func long(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func TestIncrementsAndAppends(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		row := []byte("r")
		inc := func(family, q string, n int64) string {
			r, err := p.client.Increment(p.ctx, p.table, rowapi.NewIncrement(row).Add(family, []byte(q), n))
			require.NoError(t, err)
			return text(r.Cells)
		}
		require.Equal(t, "r/a:n/1000000="+string(long(0)), inc("a", "n", 0))
		require.Equal(t, "r/a:n/1000001="+string(long(math.MaxInt64)), inc("a", "n", math.MaxInt64))
		require.Equal(t, "r/a:n/1000002="+string(long(math.MinInt64)), inc("a", "n", 1), "it wraps around")
		p.clock.ms.Store(2_000_000)
		require.Equal(t, "r/a:n/2000000="+string(long(math.MinInt64+1)), inc("a", "n", 1))

		put := rowapi.NewPut(row).AddAt("a", []byte("f"), 4000000000000, long(5)).AddAt("a", []byte("f"), 10, long(50)).
			AddAt("b", []byte("x"), 1, []byte("abc"))
		require.NoError(t, p.client.Put(p.ctx, p.table, put))
		require.Equal(t, "r/a:f/4000000000001="+string(long(6)), inc("a", "f", 1), "not older than what is there")
		r, err := p.client.Increment(p.ctx, p.table, &rowapi.Increment{Row: row, Time: rowapi.TimeRange{Min: 0, Max: 100},
			Deltas: []rowapi.Delta{{Family: "a", Qualifier: []byte("f"), Amount: 1}}})
		require.NoError(t, err)
		require.Equal(t, "r/a:f/2000000="+string(long(51)), text(r.Cells), "from what is in the time range")

		_, err = p.client.Increment(p.ctx, p.table, rowapi.NewIncrement(row).Add("a", []byte("n"), 1).Add("b",
			[]byte("x"), 1))
		require.ErrorIs(t, err, rowapi.ErrNotLong)
		require.ErrorContains(t, err, "it's 3 bytes wide")
		require.Equal(t, "r/a:n/2000000="+string(long(math.MinInt64+1)), p.get(&rowapi.Get{Row: row,
			Columns: rowapi.Columns{Families: []rowapi.FamilyColumns{{Family: "a",
				Qualifiers: bytesOf("n")}}}}), "nothing of it is done")

		r, err = p.client.Append(p.ctx, p.table, rowapi.NewAppend(row).Add("b", []byte("x"), []byte("de")).Add("a",
			[]byte("y"), []byte("!")))
		require.NoError(t, err)
		require.Equal(t, "r/a:y/2000000=! r/b:x/2000000=abcde", text(r.Cells))
		silent := rowapi.NewAppend(row).Add("b", []byte("x"), []byte("f"))
		silent.NoResult = true
		r, err = p.client.Append(p.ctx, p.table, silent)
		require.NoError(t, err)
		require.Equal(t, &rowapi.Result{}, r)
		require.Equal(t, "r/b:x/2000001=abcdef", p.get(&rowapi.Get{Row: row,
			Columns: rowapi.Columns{Families: []rowapi.FamilyColumns{{Family: "b"}}}}))

		last := rowapi.NewPut([]byte("end")).AddAt("a", []byte("n"), math.MaxInt64-1, long(1))
		require.NoError(t, p.client.Put(p.ctx, p.table, last))
		for range 2 {
			_, err = p.client.Increment(p.ctx, p.table, rowapi.NewIncrement([]byte("end")).Add("a", []byte("n"), 1))
		}
		require.ErrorIs(t, err, rowapi.ErrTimestampExhausted)
	})
}

func TestConditions(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		p.put("r a:five 10 5\nr a:five 5 old\nr a:empty 1 ")
		cond := rowapi.IfMatches
		q := func(name string) []byte { return []byte(name) }
		ranged := rowapi.IfEquals("a", q("five"), q("old"))
		ranged.Time = rowapi.TimeRange{Min: 0, Max: 6}
		cases := []struct {
			what  string
			c     rowapi.Condition
			holds bool
		}{
			{"equal", rowapi.IfEquals("a", q("five"), q("5")), true},
			{"not equal", cond("a", q("five"), filter.NotEqual, q("5")), false},
			{"4 < stored 5", cond("a", q("five"), filter.Less, q("4")), true},
			{"6 > stored 5", cond("a", q("five"), filter.Greater, q("6")), true},
			{"6 < stored 5", cond("a", q("five"), filter.Less, q("6")), false},
			{"5 <= stored 5", cond("a", q("five"), filter.LessOrEqual, q("5")), true},
			{"the newest version only", rowapi.IfEquals("a", q("five"), q("old")), false},
			{"the newest in the time range", ranged, true},
			{"absent", rowapi.IfNotExists("a", q("none")), true},
			{"empty is as absent", rowapi.IfNotExists("a", q("empty")), true},
			{"not absent", rowapi.IfNotExists("a", q("five")), false},
			{"not equal to nothing", cond("a", q("five"), filter.NotEqual, nil), true},
			{"empty, not equal to nothing", cond("a", q("empty"), filter.NotEqual, nil), false},
			{"absent, not equal to a value", cond("a", q("none"), filter.NotEqual, q("x")), false},
			{"filter", rowapi.Condition{Filter: filter.ValueFilter{CompareFilter: filter.CompareFilter{Op: filter.Equal,
				Comparator: filter.SubstringComparator{Text: "5"}}}}, true},
			{"filter of nothing", rowapi.Condition{Filter: filter.ColumnPrefixFilter{Prefix: q("x")}}, false},
		}
		for _, c := range cases {
			m := &rowapi.CheckAndMutate{Row: q("r"), Condition: c.c,
				Mutations: []rowapi.Mutation{rowapi.NewIncrement(q("r")).Add("b", q("n"), 1), rowapi.NewPut(q("r")).AddAt("b",
					q("p"), 1, q("v"))}}
			before := p.all("r")
			done, r, err := p.client.CheckAndMutate(p.ctx, p.table, m)
			require.NoError(t, err, c.what)
			require.Equal(t, c.holds, done, c.what)
			if !c.holds {
				require.Nil(t, r, c.what)
				require.Equal(t, before, p.all("r"), c.what)
				continue
			}
			require.Len(t, r.Cells, 1, c.what)
			require.Contains(t, p.all("r"), "r/b:p/1=v", c.what)
		}
		// What is put is not older than what was checked.
		p.put("f a:q 4000000000000 v")
		done, _, err := p.client.CheckAndMutate(p.ctx, p.table, &rowapi.CheckAndMutate{Row: q("f"),
			Condition: rowapi.IfEquals("a", q("q"), q("v")),
			Mutations: []rowapi.Mutation{rowapi.NewPut(q("f")).Add("a", q("q"), q("w"))}})
		require.NoError(t, err)
		require.True(t, done)
		require.Equal(t, "f/a:q/4000000000000=w", p.all("f"))
	})
}

func TestRowMutations(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		r := []byte("r")
		p.put("r a:old 1 v")
		result, err := p.client.MutateRow(p.ctx, p.table, &rowapi.RowMutations{Row: r, Mutations: []rowapi.Mutation{
			rowapi.NewDelete(r), rowapi.NewPut(r).Add("a", []byte("q"), []byte("v")).AddAt("b", []byte("q"), 9, []byte("v")),
			rowapi.NewIncrement(r).Add("a", []byte("n"), 3), rowapi.NewIncrement(r).Add("a", []byte("n"), 4)}})
		require.NoError(t, err)
		require.Equal(t, "r/a:n/1000001="+string(long(7)), text(result.Cells))
		require.Equal(t, "r/a:n/1000001="+string(long(7))+" r/a:n/1000000="+string(long(3))+" r/a:q/1000000=v r/b:q/9=v",
			p.all("r"))

		_, err = p.client.MutateRow(p.ctx, p.table, &rowapi.RowMutations{Row: r, Mutations: []rowapi.Mutation{
			part(rowapi.DeleteColumns, "b", "q", 9), rowapi.NewIncrement(r).Add("a", []byte("q"), 1)}})
		require.ErrorIs(t, err, rowapi.ErrNotLong)
		require.Contains(t, p.all("r"), "r/b:q/9=v", "all or nothing")

		p.clock.ms.Add(10)
		_, err = p.client.MutateRows(p.ctx, p.table, []rowapi.Mutation{
			rowapi.NewPut([]byte("y")).AddAt("a", []byte("q"), 1, []byte("v")), rowapi.NewDelete(r),
			rowapi.NewPut([]byte("b")).AddAt("a", []byte("q"), 1, []byte("v"))})
		require.NoError(t, err)
		require.Equal(t, "b/a:q/1=v|y/a:q/1=v", strings.Join(p.scan(&rowapi.Scan{}, rowapi.PageLimits{}), "|"))
	})
}

func TestBatches(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		r := func(s string) []byte { return []byte(s) }
		outcomes, err := p.client.Batch(p.ctx, p.table, []rowapi.Action{
			rowapi.NewPut(r("x")).AddAt("a", r("q"), 1, r("1")),
			rowapi.NewPut(r("c")).AddAt("none", r("q"), 1, r("1")),
			rowapi.NewPut(r("b")).AddAt("a", r("q"), 1, r("2")),
			rowapi.NewDelete(r("x")),
			rowapi.NewPut(r("x")).AddAt("b", r("q"), 2, r("3")),
			&rowapi.Get{Row: r("x")},
			rowapi.NewIncrement(r("x")).Add("b", r("q"), 1),
			rowapi.NewAppend(r("x")).Add("b", r("q"), r("4")),
			&rowapi.CheckAndMutate{Row: r("x"), Condition: rowapi.IfNotExists("b", r("q")),
				Mutations: []rowapi.Mutation{rowapi.NewDelete(r("x"))}},
			&rowapi.RowMutations{Row: r("d"), Mutations: []rowapi.Mutation{rowapi.NewPut(r("d")).AddAt("a", r("q"), 1, r("5"))}},
			rowapi.NewDelete(r("")),
			nil,
		})
		require.NoError(t, err)
		var errs []error
		for i, o := range outcomes {
			errs = append(errs, o.Err)
			require.Equal(t, o.Err == nil, o.Result != nil, i)
			require.Equal(t, o.Err == nil && i != 8, o.Processed, i)
		}
		require.ErrorIs(t, errs[1], rowapi.ErrNoSuchFamily)
		require.ErrorIs(t, errs[6], rowapi.ErrNotLong)
		require.ErrorIs(t, errs[10], rowapi.ErrInvalid)
		require.ErrorIs(t, errs[11], rowapi.ErrInvalid)
		errs[1], errs[6], errs[10], errs[11] = nil, nil, nil, nil
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, "x/b:q/2=3", text(outcomes[5].Result.Cells))
		require.Equal(t, "x/b:q/1000000=34", text(outcomes[7].Result.Cells))
		require.Equal(t, "b/a:q/1=2|d/a:q/1=5|x/b:q/1000000=34", strings.Join(p.scan(&rowapi.Scan{}, rowapi.PageLimits{}),
			"|"))
	})
}

func TestMistakes(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		r := []byte("r")
		cells := func(row []byte, family string, q, v []byte) error {
			return p.client.Put(p.ctx, p.table, rowapi.NewPut(row).Add("a", []byte("ok"), r).Add(family, q, v))
		}
		attributed := rowapi.NewPut(r).Add("a", r, r)
		attributed.ACL = []byte("acl")
		labelled := rowapi.NewDelete(r)
		labelled.Visibility = "secret"
		_, scanErr := p.client.Scanner(p.ctx, p.table,
			&rowapi.Scan{Columns: rowapi.Columns{Families: []rowapi.FamilyColumns{{Family: "none"}}}})
		_, getErr := p.client.Get(p.ctx, rowapi.TableName{Namespace: "shop", Name: "none"}, &rowapi.Get{Row: r})
		_, noRow := p.client.Get(p.ctx, p.table, &rowapi.Get{})
		_, backwards := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: r,
			Columns: rowapi.Columns{Time: rowapi.TimeRange{Min: 5, Max: 3}}})
		_, checkErr := p.client.MutateRow(p.ctx, p.table, &rowapi.RowMutations{Row: r,
			Mutations: []rowapi.Mutation{rowapi.NewDelete([]byte("other"))}})
		_, badFilter := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: r, Columns: rowapi.Columns{Filter: filter.RowFilter{}}})
		for i, c := range []struct{ err, want error }{
			{cells(r, "none", r, r), rowapi.ErrNoSuchFamily}, {cells(nil, "a", r, r), rowapi.ErrInvalid},
			{cells(make([]byte, 101), "a", r, r), rowapi.ErrCellTooLarge}, {cells(r, "a", make([]byte, 101), r),
				rowapi.ErrCellTooLarge},
			{cells(r, "a", r, make([]byte, 10<<20)), rowapi.ErrCellTooLarge},
			{p.client.Put(p.ctx, p.table, rowapi.NewPut(r)), rowapi.ErrInvalid},
			{p.client.Put(p.ctx, p.table, rowapi.NewPut(r).AddAt("a", r, -1, r)), rowapi.ErrInvalid},
			{p.client.Put(p.ctx, p.table, attributed), rowapi.ErrUnsupported}, {p.client.Delete(p.ctx, p.table, labelled),
				rowapi.ErrUnsupported},
			{scanErr, rowapi.ErrNoSuchFamily}, {getErr, rowapi.ErrTableNotFound}, {noRow, rowapi.ErrInvalid}, {backwards,
				rowapi.ErrInvalid},
			{checkErr, rowapi.ErrInvalid}, {badFilter, filter.ErrInvalid},
		} {
			require.ErrorIs(t, c.err, c.want, i)
		}
		require.Equal(t, "", p.all("r"))
	})
}

func TestNames(t *testing.T) {
	for text, want := range map[string]rowapi.TableName{"t": {Namespace: "default", Name: "t"},
		"ns:t": {Namespace: "ns", Name: "t"}} {
		name, err := rowapi.ParseTableName(text)
		require.NoError(t, err)
		require.Equal(t, want, name)
		require.Equal(t, text, name.String())
	}
	for _, text := range []string{"", ":t", "ns:", "a:b:c"} {
		_, err := rowapi.ParseTableName(text)
		require.ErrorIs(t, err, rowapi.ErrInvalid, text)
	}
	p := newPlace(t, openPebble, nil)
	p.table = rowapi.TableName{Name: "alone"}
	p.put("r f:q 1 v")
	require.Equal(t, "r/f:q/1=v", p.all("r"), "a table in no group has one family")
	off := rowapi.New(p.store, rowapi.Options{Database: "shop",
		Disabled: func(f []*kv.Table) bool { return f[0].Name == "alone" }})
	_, err := off.Get(p.ctx, p.table, &rowapi.Get{Row: []byte("r")})
	require.ErrorIs(t, err, rowapi.ErrTableDisabled)
	_, disabled, err := off.Families(p.ctx, p.table)
	require.NoError(t, err)
	require.True(t, disabled)
}

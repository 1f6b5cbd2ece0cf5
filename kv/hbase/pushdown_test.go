package hbase

import (
	"context"
	"database/sql"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
)

// fakes are the stores of tests, by the host of their DSN.
var fakes sync.Map

func init() {
	kv.Register("fakehbase", func(_ context.Context, uri string) (kv.Store, error) {
		host, _, _ := strings.Cut(strings.TrimPrefix(uri, "fakehbase://"), "/")
		f, _ := fakes.Load(host)
		return f.(interface{ storeOfSQL() *Store }).storeOfSQL(), nil
	})
}

func (f *fakeServers) storeOfSQL() *Store {
	s := f.store()
	if f.regionsShown {
		regioned(f, s)
	}
	if f.through != nil {
		s.cluster.rpc = f.through
	}
	return s
}

// openSQL returns a sql.DB on the servers.
func (f *fakeServers) openSQL(parameters string) *sql.DB { return openSQLOf(f.t, f, parameters) }

// openSQLOf returns a sql.DB on a store of the test.
func openSQLOf(t testing.TB, of interface{ storeOfSQL() *Store }, parameters string) *sql.DB {
	host := strings.ToLower(t.Name()) + newName()
	host = regexp.MustCompile("[^a-z0-9]").ReplaceAllString(host, "")
	fakes.Store(host, of)
	db, err := sql.Open("hbasekv", "fakehbase://"+host+"/default"+parameters)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// filterNames returns the classes of a filter and of those in it.
func filterNames(t testing.TB, f *pb.Filter) (out []string) {
	if f == nil {
		return nil
	}
	out = append(out, strings.TrimPrefix(f.GetName(), filters))
	if list := (&pb.FilterList{}); out[0] == "FilterList" {
		require.NoError(t, proto.Unmarshal(f.GetSerializedFilter(), list))
		for _, inner := range list.GetFilters() {
			out = append(out, filterNames(t, inner)...)
		}
	}
	return out
}

// Whatever the conditions on V and T, in the latest view the servers filter only by
// rows and qualifiers: anything else would be applied before versions are counted.
// Times may be bounded below, which hides no newer version.
func TestLatestViewIsWhole(t *testing.T) {
	allowed := []string{"FilterList", "KeyOnlyFilter", "ColumnRangeFilter", "MultiRowRangeFilter"}
	for _, where := range []string{
		"V = 'v'", "V > 'a' AND V < 'x'", "V LIKE 'v%'", "V IN ('v', 'w')", "LENGTH(V) = 1", "V IS NOT NULL",
		"T < 5", "T <= 5", "T = 5", "T BETWEEN 2 AND 5", "T IN (1, 5)", "T > 2 AND T < 9", "T < 5 OR T > 7", "T + 1 < 9",
		"K = 'r001' AND T < 5", "K = 'r001' AND Q = 'q0' AND T < 5", "K = 'r001' AND Q = 'q0' AND T = 5",
		"K > 'r0' AND Q IN ('q0', 'q2') AND T < 5", "Q > 'q' AND Q < 'q2' AND V = 'v'", "(K, Q) > ('r001', 'q0') AND T < 5",
		"(K, Q, T) > ('r001', 'q0', 3)", "(K, Q, T) < ('r001', 'q0', 3) AND V = 'v'", "K < 'r001' OR K > 'r002' AND V = 'v'",
	} {
		for _, query := range []string{"SELECT * FROM `t$f` WHERE ", "SELECT COUNT(*) FROM `t$f` WHERE ", "SELECT DISTINCT K FROM `t$f` WHERE ",
			"SELECT MAX(T) FROM `t$f` WHERE "} {
			f := newFake(t, someCells(4), "r002")
			db := f.openSQL("")
			rows(t, db, query+where)
			if !strings.Contains(query, "(") {
				rows(t, db, query+where+" ORDER BY K DESC LIMIT 2")
			}
			require.NotEmpty(t, f.opened)
			for _, scan := range f.opened {
				require.Subset(t, allowed, filterNames(t, scan.Filter), query+where)
				require.EqualValues(t, maxTimestamp+1, scan.TimeRange.GetTo(), query+where)
				if from := scan.TimeRange.GetFrom(); from > 0 {
					require.Contains(t, where, "T", where)
				}
			}
		}
	}
}

// EXPLAIN lists the calls that will be made.
func TestExplainCalls(t *testing.T) {
	f := newFake(t, someCells(60), "r025", "r040")
	db := f.openSQL("")
	for query, calls := range map[string]string{
		"SELECT * FROM `t$f`":                           `Scan of all rows in 1 of 1 regions, f, MaxVersions 1, NumberOfRows 4096`,
		"SELECT * FROM `t$f` ORDER BY K LIMIT 3":        `Scan of all rows in 1 of 1 regions, f, MaxVersions 1, NumberOfRows 3`,
		"SELECT COUNT(*) FROM `t$f`":                    `Scan of all rows in 1 of 1 regions, f, MaxVersions 1, KeyOnlyFilter, NumberOfRows 4096`,
		"SELECT COUNT(DISTINCT K) FROM `t$f`":           `Scan of all rows in 1 of 1 regions, f, MaxVersions 1, StoreLimit 1, KeyOnlyFilter, NumberOfRows 4096`,
		"SELECT MAX(K) FROM `t$f`":                      `Scan of all rows in 1 of 1 regions, Reversed, f, MaxVersions 1, KeyOnlyFilter, NumberOfRows 1`,
		"SELECT * FROM `t$f` WHERE K = 'r'":             `Scan of the row "r", f, MaxVersions 1`,
		"SELECT * FROM `t$f` WHERE K = 'r' AND Q = 'q'": `Get of the row "r", f:"q", MaxVersions 1`,
		"SELECT * FROM `t$f` WHERE K IN ('r','s')":      `Multi of 2 Gets from "r" to "s", f, MaxVersions 1`,
		"SELECT * FROM `t$f` WHERE K < 'b' OR K > 'r'":  `Scan of 2 ranges of [-, -) by MultiRowRangeFilter in 1 of 1 regions, f, MaxVersions 1, NumberOfRows 4096`,
		"SELECT * FROM `t$f` WHERE (K, Q) > ('r', 'q')": `Scan of the row "r", f, MaxVersions 1, ColumnRangeFilter ["q", -]; ` +
			`Scan of ["r\x00", -) in 1 of 1 regions, f, MaxVersions 1, NumberOfRows 4096`,
		"SELECT K FROM `t$f` WHERE Q IN ('a', 'b')": `Scan of all rows in 1 of 1 regions, f:"a,b", MaxVersions 1, KeyOnlyFilter, NumberOfRows 4096`,
		"SELECT K FROM `t$f` WHERE Q LIKE 'a%' OR Q LIKE 'c%'": `Scan of all rows in 1 of 1 regions, f, MaxVersions 1, ` +
			`(ColumnRangeFilter ["a", "b") OR ColumnRangeFilter ["c", "d")) AND KeyOnlyFilter, NumberOfRows 4096`,
		"SELECT * FROM `t$f` FOR SYSTEM_TIME AS OF 7 WHERE K >= 'r'": `Scan of ["r", -) in 1 of 1 regions, f, TimeRange [0, 8), MaxVersions 1, NumberOfRows 4096`,
		"SELECT * FROM `t$f` FOR SYSTEM_TIME ALL WHERE T > 5":        `Scan of all rows in 1 of 1 regions, f, TimeRange [6, 9223372036854775807), all versions, NumberOfRows 4096`,
	} {
		text := strings.Join(rows(t, db, "EXPLAIN FORMAT=TREE "+query), "\n")
		_, told, _ := strings.Cut(text, "calls: ")
		told, _, _ = strings.Cut(told, "\n")
		require.Equal(t, calls, told, query+"\n"+text)
	}
	require.Zero(t, f.calls, "EXPLAIN reads nothing")
	text := strings.Join(rows(t, db, "EXPLAIN ANALYZE SELECT * FROM `t$f` ORDER BY K"), "\n")
	require.Regexp(t, `rows 234, cells 234, requests \d+, bytes \d+, partitions 3\)`, text)
}

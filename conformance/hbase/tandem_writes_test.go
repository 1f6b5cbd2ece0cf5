package hbase

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// write runs one statement that writes one row on both, or several in a transaction,
// and compares their answers and the table afterwards.
func (f *tandem) write() {
	row := harness.Pick(f.r, f.names.rows)
	if f.r.IntN(4) > 0 {
		f.both(row, []string{f.writing(row, f.one("w$a", "w$b"))}, "")
		return
	}
	var statements []string
	for range 1 + f.r.IntN(4) {
		statements = append(statements, f.writing(row, f.one("w$a", "w$b")))
	}
	f.both(row, statements, f.one("COMMIT", "COMMIT", "ROLLBACK"))
}

// tandemLimits are the errors for what the embedded store may support, but HBase does not.
var tandemLimits = []uint16{1235, 1264}

// both runs statements on HBase and then on the embedded store. What HBase refuses
// must not have changed anything, and is not run there.
func (f *tandem) both(row string, statements []string, end string) {
	f.last = append(f.last[max(0, len(f.last)-8):], strings.Join(append(statements, end), "; "))
	got := f.run(f.hbase, statements, end)
	if slices.ContainsFunc(got, func(s string) bool {
		return slices.ContainsFunc(tandemLimits, func(n uint16) bool { return s == fmt.Sprint("error ", n) })
	}) {
		f.refused++
		f.settle(row, false)
		return
	}
	want := f.run(f.embedded, statements, end)
	if !slices.Equal(want, got) && !otherFault(want, got) {
		f.Errorf("%s %s\n embedded: %q\n    HBase: %q", strings.Join(statements, "; "), end, want, got)
	}
	f.settle(row, end != "ROLLBACK")
}

// otherFault reports whether the last statement has both a duplicate (1062) and a NULL that is
// not allowed (1048): HBase is asked for duplicates only after all rows are converted.
func otherFault(embedded, hbase []string) bool {
	last := len(embedded) - 1
	return len(hbase) == len(embedded) && slices.Equal(embedded[:last], hbase[:last]) &&
		embedded[last] == "error 1062" && hbase[last] == "error 1048"
}

// run returns the affected rows or the error of each statement. After an error
// a transaction is rolled back.
func (f *tandem) run(db *sql.DB, statements []string, end string) (out []string) {
	one := func(on harness.Execer, statement string) bool {
		result, err := on.ExecContext(context.Background(), statement)
		if err != nil {
			out = append(out, fmt.Sprint("error ", harness.ErrorNumber(err)))
			if harness.ErrorNumber(err) > 10000 {
				out = append(out, err.Error())
			}
			return false
		}
		n, err := result.RowsAffected()
		require.NoError(f, err)
		out = append(out, fmt.Sprint(n))
		return true
	}
	if end == "" {
		one(db, statements[0])
		return out
	}
	tx, err := db.Begin()
	require.NoError(f, err)
	defer tx.Rollback()
	for _, s := range statements {
		if !one(tx, s) {
			return out
		}
	}
	if end == "COMMIT" {
		if err := tx.Commit(); err != nil {
			out = append(out, fmt.Sprint("error ", harness.ErrorNumber(err)))
		}
	}
	return out
}

// settle compares all versions of a row. Versions written by the clocks may differ
// in T; the embedded store then gets HBase's.
func (f *tandem) settle(row string, wrote bool) {
	for _, table := range []string{"w$a", "w$b"} {
		query := oracle.Generated{SQL: "SELECT Q, T, V FROM " + table + " FOR SYSTEM_TIME ALL WHERE K = " + row + " ORDER BY Q, T DESC", Ordered: true}
		want, got := oracle.Ask(f.embedded, query), oracle.Ask(f.hbase, query)
		require.Zero(f, want.Error+got.Error, query.SQL)
		if slices.EqualFunc(want.Rows, got.Rows, slices.Equal) {
			continue
		}
		if !wrote || !slices.EqualFunc(want.Rows, got.Rows, func(a, b []string) bool { return a[0] == b[0] && sameTime(a[1], b[1]) && a[2] == b[2] }) {
			f.Errorf("%s of %s\n embedded: %s\n    HBase: %s", table, row, want.Print(), got.Print())
			return
		}
		harness.Must(f.T, f.embedded, "DELETE /*+ VERSIONS(ALL) */ FROM "+table+" WHERE K = "+row)
		for _, x := range got.Rows {
			q, v := unquoted(f, x[0]), unquoted(f, x[2])
			_, err := f.embedded.Exec("INSERT INTO "+table+" VALUES ("+row+", ?, "+unquoted(f, x[1])+", ?)", []byte(q), []byte(v))
			require.NoError(f, err)
		}
	}
}

func unquoted(f *tandem, s string) string {
	out, err := strconv.Unquote(s)
	require.NoError(f, err)
	return out
}

// sameTime reports whether two times are equal, or both from the clock, or derived from such.
func sameTime(a, b string) bool {
	if a == b {
		return true
	}
	x, err := strconv.ParseInt(strings.Trim(a, `"`), 10, 64)
	y, also := strconv.ParseInt(strings.Trim(b, `"`), 10, 64)
	const minute = 60_000
	return err == nil && also == nil && min(x, y) > 1e9 && max(x, y)-min(x, y) < minute
}

// writing is a random statement that writes to a row of a table.
func (f *tandem) writing(row, table string) string {
	value := func() string {
		return f.one(append(slices.Clone(f.names.values), "CONCAT('a', 1)", "7 DIV 2", "NULL")...)
	}
	cells := func(beyond ...string) string {
		var out []string
		for range 1 + f.r.IntN(3) {
			t := harness.Pick(f.r, f.names.times)
			if f.r.IntN(30) == 0 && beyond != nil {
				t = f.one(beyond...)
			}
			out = append(out, fmt.Sprintf("(%s, %s, %s, %s)", row, harness.Pick(f.r, f.names.qualifiers), t, value()))
		}
		return strings.Join(out, ", ")
	}
	hint := f.one("", "", "/*+ VERSIONS(ALL) */ ", "/*+ VERSIONS(2) */ ")
	where := " WHERE K = " + row + f.one("", " AND Q = "+harness.Pick(f.r, f.names.qualifiers), " AND T < "+f.bound(), " AND V <> ''", " AND LENGTH(V) > 1",
		" AND Q > "+harness.Pick(f.r, f.names.qualifiers), " AND T IN (1, 2, 100)", " AND V = "+harness.Pick(f.r,
			f.names.values))
	some := f.one("", "", "", " ORDER BY K, Q, T LIMIT 2", " ORDER BY K DESC, Q DESC, T DESC LIMIT 1")
	switch f.r.IntN(12) {
	case 0, 1:
		return "INSERT INTO " + table + " VALUES " + cells("-1", "9223372036854775807", "'abc'") + f.one("", "", " ON DUPLICATE KEY UPDATE V = "+f.one("VALUES(V)", "CONCAT(V, '+')", "'dup'", "V"))
	case 2:
		return "INSERT IGNORE INTO " + table + " VALUES " + cells()
	case 3, 4:
		return "REPLACE INTO " + table + " VALUES " + cells()
	case 5:
		return f.one("INSERT", "REPLACE", "INSERT IGNORE") + " INTO " + table + " (K, Q, V) VALUES (" + row + ", " + harness.Pick(f.r, f.names.qualifiers) + ", " + value() + ")"
	case 6, 7:
		return "DELETE " + hint + "FROM " + table + where + some
	case 8:
		return "INSERT INTO " + table + " SELECT " + row + ", Q, T, V FROM p" + f.one("", " FOR SYSTEM_TIME ALL") + " WHERE K = " + harness.Pick(f.r, f.names.rows)
	}
	set := f.one("V = V + 1", "V = CONCAT(V, 'x')", "V = "+value(), "V = V", "V = ''", "T = T + 1", "T = "+harness.Pick(f.r, f.names.times), "Q = "+harness.Pick(f.r, f.names.qualifiers),
		"V = Q", "T = T DIV 2", "V = REPLACE(V, '1', 'one')", "Q = 'moved', V = 'm'")
	return "UPDATE " + hint + table + " SET " + set + where + some
}

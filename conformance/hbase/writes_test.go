package hbase

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
	"github.com/hbasekv/hbasekv/kv"
)

// TestWritesOnHBase runs the suite's cases of writing statements on HBase. A case that
// its Limits do not allow is omitted, and one that would write several rows must be
// refused with 1235 and leave the table unchanged.
func TestWritesOnHBase(t *testing.T) {
	dsn, _ := hbaseDatabase(t)
	limits := hbaseStore(t).Limits()
	db, setup := harness.OpenDB(t, dsn), harness.OpenDB(t, dsn+"multiRow=apply")
	harness.Must(t, db, strings.Replace("CREATE TABLE t "+harness.PlainTable, "V varbinary(1048576)",
		"V varbinary(100)", 1))
	ran, refused, left := 0, 0, 0
	for _, c := range suite.WriteCases {
		switch {
		case beyond(&c, limits):
			left++
		case onOneRow(t, db, setup, &c):
			ran++
		default:
			refused++
		}
	}
	t.Logf("%d cases answer as on the embedded store, %d would write several rows, %d are beyond the limits", ran, refused, left)
	require.Greater(t, ran, len(suite.WriteCases)/3)
}

// severalRows are the cases that change one row but write several, and how.
var severalRows = map[string]string{
	"update ignore skips a moved row whole": "it moves a row to another, and tries it with a second one",
}

// rowsChanged are the rows whose versions differ.
func rowsChanged(given, want string) map[string]bool {
	rows := map[string]bool{}
	was, is := strings.Fields(given), strings.Fields(want)
	for _, v := range append(slices.Clone(was), is...) {
		if slices.Contains(was, v) != slices.Contains(is, v) {
			rows[strings.SplitN(v, "/", 2)[0]] = true
		}
	}
	return rows
}

// beyond reports whether a case contains what a store cannot store.
func beyond(c *suite.WriteCase, l kv.Limits) bool {
	return slices.ContainsFunc(strings.Fields(c.Given+" "+c.Want), func(v string) bool {
		p := strings.SplitN(v, "/", 4)
		return len(p) == 4 && !holds(l, len(p[0]), p[2], p[3]) // "-" is an empty table
	})
}

// onOneRow runs a case, and returns false if it was refused.
func onOneRow(t *testing.T, db, setup harness.Execer, c *suite.WriteCase) bool {
	t.Helper()
	label := c.Name + ": " + c.Run
	harness.Must(t, setup, "DELETE /*+ VERSIONS(ALL) */ FROM t")
	given := c.Given
	if given == "" {
		given = suite.Standard
	}
	harness.PutVersions(t, setup, given)
	start := time.Now().UnixMilli()
	result, err := db.ExecContext(context.Background(), c.Run, c.Args...)
	want := c.Want
	if want == "" || harness.NumberOf(err) == 1235 {
		want = given
	}
	assert.Equal(t, strings.Trim(want, "-"), harness.Versions(t, setup, start), label)
	if harness.NumberOf(err) == 1235 && c.Fails != 1235 {
		assert.True(t, c.Fails != 0 || len(rowsChanged(given, c.Want)) > 1 || severalRows[c.Name] != "", "%s: %v", label, err)
		return false
	}
	c.CheckAnswer(t, label, start, false, result, err)
	return true
}

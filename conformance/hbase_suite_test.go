package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// TestWritesOnHBase runs the suite's cases of writing statements on HBase. A case that
// its Limits do not allow is left out, and one that would write several rows must be
// refused with 1235 and leave the table as it was.
func TestWritesOnHBase(t *testing.T) {
	dsn, _ := hbaseDatabase(t)
	limits := hbaseStore(t).Limits()
	db, setup := openDB(t, dsn), openDB(t, dsn+"multiRow=apply")
	must(t, db, strings.Replace("CREATE TABLE t "+plainTable, "V varbinary(1048576)", "V varbinary(100)", 1))
	ran, refused, left := 0, 0, 0
	for _, c := range writeCases {
		switch {
		case c.beyond(limits):
			left++
		case c.onOneRow(t, db, setup):
			ran++
		default:
			refused++
		}
	}
	t.Logf("%d cases answer as on the embedded store, %d would write several rows, %d are beyond the limits", ran, refused, left)
	require.Greater(t, ran, len(writeCases)/3)
}

// severalRows are the cases that change one row and write several, and how.
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

// beyond reports whether a case has what a store cannot hold.
func (c *writeCase) beyond(l kv.Limits) bool {
	return slices.ContainsFunc(strings.Fields(c.given+" "+c.want), func(v string) bool {
		p := strings.SplitN(v, "/", 4)
		return len(p) == 4 && !holds(l, len(p[0]), p[2], p[3]) // "-" is an empty table
	})
}

// onOneRow runs a case, and is false where it was refused.
func (c *writeCase) onOneRow(t *testing.T, db, setup execer) bool {
	t.Helper()
	label := c.name + ": " + c.run
	must(t, setup, "DELETE /*+ VERSIONS(ALL) */ FROM t")
	given := c.given
	if given == "" {
		given = standard
	}
	putVersions(t, setup, given)
	start := time.Now().UnixMilli()
	result, err := db.ExecContext(context.Background(), c.run, c.args...)
	want := c.want
	if want == "" || numberOf(err) == 1235 {
		want = given
	}
	assert.Equal(t, strings.Trim(want, "-"), versions(t, setup, start), label)
	if numberOf(err) == 1235 && c.fails != 1235 {
		assert.True(t, c.fails != 0 || len(rowsChanged(given, c.want)) > 1 || severalRows[c.name] != "", "%s: %v", label, err)
		return false
	}
	c.checkAnswer(t, label, start, false, result, err)
	return true
}

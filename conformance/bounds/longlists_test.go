package bounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestLongListsOfNumbers looks strings up in long lists of numbers; a string that is not a
// number warns once.
func TestLongListsOfNumbers(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, '7'), ('b', 'q', 2, '7.50'), ('c', 'q', 3, 'x'), ('d', 'q', 4, '12abc'), ('e', 'q', 5, ' 40 '), ('f', 'q', 6, NULL)")
	list := func(format string) string {
		items := make([]string, 3000)
		for i := range items {
			items[i] = fmt.Sprintf(format, i+5)
		}
		return " IN (" + strings.Join(items, ", ") + ") "
	}
	for format, want := range map[string][]string{"%d": {"a", "d", "e"}, "%d.5": {"b"}, "%de0": {"a", "d", "e"}} {
		require.Equal(t, want, harness.Lines(t, db, "SELECT K FROM t WHERE V"+list(format)), format)
		require.Len(t, harness.Lines(t, db, "SHOW WARNINGS"), 2, format)
		require.Equal(t, want, harness.Lines(t, db, "SELECT K FROM t WHERE V + 0"+list(format)), format)
	}
	require.Equal(t, []string{"b", "c"}, harness.Lines(t, db, "SELECT K FROM t WHERE V NOT"+list("%d")))
	require.Empty(t, harness.Lines(t, db,
		"SELECT K FROM t WHERE V NOT"+strings.Replace(list("%d"), ") ", ", NULL) ", 1)))
}

package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongListsOfNumbers looks strings up in long lists of numbers, of which one that is no
// number warns once.
func TestLongListsOfNumbers(t *testing.T) {
	db := openDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	must(t, db, "CREATE TABLE t "+plainTable, "INSERT INTO t VALUES ('a', 'q', 1, '7'), ('b', 'q', 2, '7.50'), ('c', 'q', 3, 'x'), ('d', 'q', 4, '12abc'), ('e', 'q', 5, ' 40 '), ('f', 'q', 6, NULL)")
	list := func(format string) string {
		items := make([]string, 3000)
		for i := range items {
			items[i] = fmt.Sprintf(format, i+5)
		}
		return " IN (" + strings.Join(items, ", ") + ") "
	}
	for format, want := range map[string][]string{"%d": {"a", "d", "e"}, "%d.5": {"b"}, "%de0": {"a", "d", "e"}} {
		require.Equal(t, want, lines(t, db, "SELECT K FROM t WHERE V"+list(format)), format)
		require.Len(t, lines(t, db, "SHOW WARNINGS"), 2, format)
		require.Equal(t, want, lines(t, db, "SELECT K FROM t WHERE V + 0"+list(format)), format)
	}
	require.Equal(t, []string{"b", "c"}, lines(t, db, "SELECT K FROM t WHERE V NOT"+list("%d")))
	require.Empty(t, lines(t, db, "SELECT K FROM t WHERE V NOT"+strings.Replace(list("%d"), ") ", ", NULL) ", 1)))
}

package harness

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// OneByOne is the size of batches that has cells evaluated one by one.
const OneByOne = 1 << 16

// AnswerOf is the rows of a statement in some order, its error and its warnings. Those of
// joins come in some order too, that of the sides, and none of one without rows, as it is
// not fixed how much is read of a side where the other is empty. What is evaluated of groups
// of K is so when the next row is there, or none is left of the part, and what GROUP_CONCAT cuts
// is told with all groups of a batch.
func AnswerOf(t *testing.T, conn *sql.Conn, statement string) []string {
	out, err := TryLines(conn, statement)
	slices.Sort(out)
	if err != nil {
		out = []string{err.Error()}
	}
	warnings := Lines(t, conn, "SHOW WARNINGS")
	join := strings.Contains(statement, " JOIN ")
	if join && len(out) == 0 {
		return nil
	}
	if join || strings.Contains(statement, " GROUP BY K") || strings.Contains(statement, "GROUP_CONCAT") {
		slices.Sort(warnings)
	}
	return append(out, warnings...)
}

// SetJoinRows sets after how many rows a join changes its way.
func SetJoinRows(t testing.TB, db Execer, n int) {
	_, err := db.ExecContext(context.Background(), fmt.Sprintf("SET hbasekv_join_rows = %d", n))
	require.NoError(t, err)
}

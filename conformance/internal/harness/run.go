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

// OneByOne is a batch size with which cells are evaluated one by one.
const OneByOne = 1 << 16

// AnswerOf is the sorted rows of a statement, its error and its warnings. The warnings of joins
// are sorted too, because the order of the sides is not fixed, and omitted for a join without
// rows, because it is not fixed how much is read of a side if the other is empty. Expressions
// over groups of K are evaluated when the next row is there or the part has ended, and what
// GROUP_CONCAT truncates is reported with all groups of a batch.
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

// SetJoinRows sets the number of rows after which a join changes its method.
func SetJoinRows(t testing.TB, db Execer, n int) {
	_, err := db.ExecContext(context.Background(), fmt.Sprintf("SET hbasekv_join_rows = %d", n))
	require.NoError(t, err)
}

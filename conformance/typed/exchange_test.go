package typed

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestExchangeIndexed exchanges a partition and a table, which have indexes, after random changes of both: the
// rows are those of a copy without indexes, by each index, and CHECK TABLE finds the entries.
func TestExchangeIndexed(t *testing.T) {
	const columns = "(id int PRIMARY KEY, a int, b varchar(10)%s) "
	const parts = "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (100), PARTITION p1 VALUES LESS THAN (200))"
	indexes := ", KEY a (a), KEY ba (b, a)"
	db := open(t, "CREATE TABLE p "+fmt.Sprintf(columns, indexes)+parts, "CREATE TABLE q "+fmt.Sprintf(columns, indexes),
		"CREATE TABLE plain_p "+fmt.Sprintf(columns, "")+parts, "CREATE TABLE plain_q "+fmt.Sprintf(columns, ""))
	r := rand.New(rand.NewPCG(testseed.Of(t), 5))
	for range 30 {
		for range 1 + r.IntN(20) {
			table, id := "p", r.IntN(200)
			if r.IntN(2) == 0 {
				table, id = "q", 100+r.IntN(100)
			}
			statement := fmt.Sprintf("REPLACE INTO %%s%s VALUES (%d, %d, 'b%d')", table, id, r.IntN(9), r.IntN(9))
			switch r.IntN(4) {
			case 0:
				statement = fmt.Sprintf("DELETE FROM %%s%s WHERE a = %d", table, r.IntN(9))
			case 1:
				statement = fmt.Sprintf("UPDATE %%s%s SET a = a + 1 WHERE b < 'b%d'", table, r.IntN(9))
			}
			harness.Must(t, db, fmt.Sprintf(statement, ""), fmt.Sprintf(statement, "plain_"))
		}
		harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q", "ALTER TABLE plain_p EXCHANGE PARTITION p1 WITH TABLE plain_q")
		for _, table := range []string{"p", "q"} {
			want := harness.Lines(t, db, "SELECT * FROM plain_"+table+" WHERE a >= 2 AND b >= 'b3' ORDER BY id")
			for _, index := range []string{"a", "ba"} {
				require.Equal(t, want, harness.Lines(t, db, "SELECT * FROM "+table+" FORCE INDEX ("+index+") WHERE a >= 2 AND b >= 'b3' ORDER BY id"))
			}
			require.Regexp(t, " status OK$", harness.Lines(t, db, "CHECK TABLE "+table)[0])
		}
	}
}

// TestExchangeUnique: an exchange could bring an entry of a UNIQUE index that another row of the table has.
func TestExchangeUnique(t *testing.T) {
	db := open(t, "CREATE TABLE p (id int PRIMARY KEY, a int, UNIQUE (a)) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (100))",
		"CREATE TABLE q (id int PRIMARY KEY, a int)")
	_, err := db.Exec("ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q")
	require.ErrorContains(t, err, "Error 1235")
}

package writes

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestIncrement(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'n', 1, '0'), ('k', 'other', 1, '0'), ('l', 'n', 1, '0')")
		const each = 40
		harness.AtOnce(t, func(worker int) error {
			for range each {
				r, err := db.Exec("UPDATE t SET V = V + 1 WHERE K = ? AND Q = ?", "k", "n")
				if err != nil {
					return err
				}
				if n, _ := r.RowsAffected(); n != 1 {
					return fmt.Errorf("%d rows affected", n)
				}
				if _, err := db.Exec("UPDATE t SET V = V + 1 WHERE Q = 'n' AND K > 'k'"); err != nil {
					return err
				}
			}
			return nil
		})
		total := strconv.Itoa(harness.Workers * each)
		require.Equal(t, []string{"k n " + total, "k other 0", "l n " + total}, harness.Lines(t, db, "SELECT K, Q, V FROM t ORDER BY K, Q"))
		require.Equal(t, strconv.Itoa(harness.Workers*each+1), harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL WHERE K = 'k' AND Q = 'n'"),
			"each increment is a version")
	})
}

func TestIncrementOfManyRowsAtOnce(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		for i := range 20 {
			harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('k%d', 'n', 1, '0')", i))
		}
		harness.AtOnce(t, func(worker int) error {
			order := []string{"ASC", "DESC"}[worker%2]
			for range 10 {
				if _, err := db.Exec("UPDATE t SET V = V + 1 ORDER BY K " + order); err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(t, []string{"20 80 80"}, harness.Lines(t, db, "SELECT COUNT(*), MIN(V + 0), MAX(V + 0) FROM t"))
	})
}

func TestAppend(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'list', 1, '')")
		const each = 15
		harness.AtOnce(t, func(worker int) error {
			for i := range each {
				if _, err := db.Exec("UPDATE t SET V = CONCAT(V, ?) WHERE K = 'k' AND Q = 'list'", fmt.Sprintf("%d.%d,", worker, i)); err != nil {
					return err
				}
			}
			return nil
		})
		parts := strings.Split(strings.TrimSuffix(harness.Single(t, db, "SELECT V FROM t"), ","), ",")
		require.Len(t, parts, harness.Workers*each)
		for worker := range harness.Workers {
			mine := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return !strings.HasPrefix(p, fmt.Sprintf("%d.", worker)) })
			for i, p := range mine {
				require.Equal(t, fmt.Sprintf("%d.%d", worker, i), p, "in the order of writing")
			}
		}
	})
}

// races are statements of which exactly one worker's may take effect.
var races = map[string]string{
	"check and put":              "UPDATE t SET V = ? WHERE K = 'k' AND Q = 'lock' AND V = 'free'",
	"check and delete":           "DELETE FROM t WHERE K = 'k' AND Q = 'lock' AND V = 'free' AND ? <> ''",
	"strict insert":              "INSERT INTO t VALUES ('k', 'put', 5, ?)",
	"insert ignore":              "INSERT IGNORE INTO t VALUES ('k', 'put', 5, ?)",
	"insert where not exists":    "INSERT INTO t (K, Q, V) SELECT 'k', 'put', ? FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t WHERE K = 'k' AND Q = 'put')",
	"insert at T, not exists":    "INSERT INTO t SELECT 'k', 'put', 7, ? FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t WHERE K = 'k' AND Q = 'put')",
	"insert where count is zero": "INSERT INTO t (K, Q, V) SELECT 'k', 'put', ? FROM t WHERE K = 'k' AND Q = 'put' HAVING COUNT(*) = 0",
	"move":                       "UPDATE t SET K = 'moved', V = ? WHERE K = 'k' AND Q = 'lock'",
}

func TestOneWinner(t *testing.T) {
	for name, statement := range races {
		t.Run(name, func(t *testing.T) {
			harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
				for range 12 {
					harness.Must(t, db, "DELETE FROM t", "INSERT INTO t VALUES ('k', 'lock', 1, 'free')")
					var winners atomic.Int64
					var winner atomic.Value
					harness.AtOnce(t, func(worker int) error {
						me := fmt.Sprintf("worker %d", worker)
						r, err := db.Exec(statement, me)
						if harness.ErrorNumber(err) == 1062 && name == "strict insert" {
							return nil
						}
						if err != nil {
							return err
						}
						if n, _ := r.RowsAffected(); n > 0 {
							winners.Add(n)
							winner.Store(me)
						}
						return nil
					})
					require.EqualValues(t, 1, winners.Load())
					if name != "check and delete" {
						require.Equal(t, winner.Load(),
							harness.Single(t, db, "SELECT V FROM t WHERE V LIKE 'worker %'"))
					}
				}
			})
		})
	}
}

func TestInsertsOfOneCellWithoutT(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		const each = 40
		ids := make([][]int64, harness.Workers)
		harness.AtOnce(t, func(worker int) error {
			for i := range each {
				r, err := db.Exec("INSERT INTO t (K, Q, V) VALUES ('k', 'q', ?)", fmt.Sprintf("%d/%d", worker, i))
				if err != nil {
					return err
				}
				id, _ := r.LastInsertId()
				ids[worker] = append(ids[worker], id)
			}
			return nil
		})
		for worker, mine := range ids {
			for i, id := range mine {
				require.Equal(t, fmt.Sprintf("%d/%d", worker, i),
					harness.Single(t, db, "SELECT V FROM t FOR SYSTEM_TIME ALL WHERE T = ?", id), "LastInsertId is the version's T")
				if i > 0 {
					require.Greater(t, id, mine[i-1], "the later one is newer")
				}
			}
		}
		require.Equal(t, strconv.Itoa(harness.Workers*each),
			harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
	})
}

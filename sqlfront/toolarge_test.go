package sqlfront_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/sqlfront"
)

// smallStore refuses a transaction's writes after the third.
type smallStore struct{ kv.Store }

func (s smallStore) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	txn, err := s.Store.Begin(ctx, o)
	return &smallTxn{Txn: txn}, err
}

type smallTxn struct {
	kv.Txn
	writes int
}

func (t *smallTxn) PutIfAbsent(ctx context.Context, table *kv.Table, c kv.Cell) (bool, error) {
	if t.writes++; t.writes > 3 {
		return false, kv.ErrTooLarge
	}
	return t.Txn.PutIfAbsent(ctx, table, c)
}

// TestTooLargeATransaction: the statement that exceeds the limit is undone, and earlier ones can be
// committed.
func TestTooLargeATransaction(t *testing.T) {
	e := sqlfront.NewEngine(smallStore{kvtest.NewModel()})
	require.NoError(t, e.EnsureDatabase(context.Background(), "d"))
	s := newSession(t, e, "a")
	mustExec(t, s, createT)
	require.Contains(t, answer(s, "INSERT INTO t VALUES ('a', 'q', 1, ''), ('b', 'q', 1, ''), ('c', 'q', 1, ''), ('d', 'q', 1, '')"), "ERROR 1197")
	require.Equal(t, "COUNT(*)\n0\n", answer(s, "SELECT COUNT(*) FROM t"))
	mustExec(t, s, "BEGIN")
	mustExec(t, s, "INSERT INTO t VALUES ('a', 'q', 1, ''), ('b', 'q', 1, '')")
	require.Contains(t, answer(s, "INSERT INTO t VALUES ('c', 'q', 1, ''), ('d', 'q', 1, '')"), "ERROR 1197")
	mustExec(t, s, "COMMIT")
	require.Equal(t, "K\na\nb\n", answer(s, "SELECT K FROM t ORDER BY K"))
}

// TestLongStringsInDocuments: the length that escapes add to a long string is known before it is written.
func TestLongStringsInDocuments(t *testing.T) {
	s := newSession(t, newEngine(t), "a")
	for what, size := range map[string]int{`CHAR(1)`: 6, `'\n'`: 2, `'"'`: 2, `'a'`: 1, `'é'`: 2} {
		for _, n := range []int{1, 500, 3000, 100_000} {
			sql := fmt.Sprintf("SELECT LENGTH(JSON_ARRAY(REPEAT(%s, %d))) l, JSON_UNQUOTE(JSON_EXTRACT(JSON_ARRAY(REPEAT(%[1]s, %[2]d)), '$[0]')) = REPEAT(%[1]s, %[2]d) e", what, n)
			require.Equal(t, fmt.Sprintf("l | e\n%d | 1\n", n*size+4), answer(s, sql), sql)
		}
	}
	require.Contains(t, answer(s, `SELECT LENGTH(JSON_ARRAY(REPEAT(CHAR(1), 12000000)))`), "ERROR 1301")
}

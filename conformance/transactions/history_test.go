package transactions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// Randomised histories: transactions, which are generated from a seed, run
// concurrently, and what they read is checked afterwards.
//
//	HBASEKV_SEED=N go test ./conformance/transactions -run TestHistories -history.txns=2000
//
// Each cell is a list. A transaction appends elements that are unique in the
// history, and reads lists. So the final lists show the order of the appends, and
// the place of each read in that order.

type opKind uint8

const (
	readOne opKind = iota
	readEach
	appendOne
)

// txOp is one operation.
type txOp struct {
	kind opKind
	key  string // of readOne and appendOne
	elem string // of appendOne
}

// txRecord is one transaction and its outcome.
type txRecord struct {
	id        int
	ops       []txOp
	reads     []map[string][]string // parallel to ops: the lists that were read
	call, end int64                 // the times before its first and after its last step
	committed bool
}

// makeTxns generates the transactions of one worker.
func makeTxns(r *rand.Rand, worker, n, keys int) []*txRecord {
	out := make([]*txRecord, n)
	for i := range out {
		tx := &txRecord{id: worker*n + i + 1}
		for j := range 1 + r.IntN(4) {
			o := txOp{kind: opKind(r.IntN(3)), key: fmt.Sprintf("k%d", r.IntN(keys))}
			if o.kind == appendOne {
				o.elem = fmt.Sprintf("%d.%d", tx.id, j)
			}
			tx.ops = append(tx.ops, o)
		}
		tx.reads = make([]map[string][]string, len(tx.ops))
		out[i] = tx
	}
	return out
}

const (
	selectOne  = "SELECT K, V FROM t WHERE K = ?"
	selectAll  = "SELECT K, V FROM t"
	appendElem = "INSERT INTO t VALUES (?, 'list', 1, ?) ON DUPLICATE KEY UPDATE V = CONCAT(V, ',', VALUES(V))"
)

func (o *txOp) run(ctx context.Context, db harness.Execer) (map[string][]string, error) {
	switch o.kind {
	case readOne:
		return readLists(ctx, db, selectOne, o.key)
	case readEach:
		return readLists(ctx, db, selectAll)
	}
	_, err := db.ExecContext(ctx, appendElem, o.key, o.elem)
	return nil, err
}

func readLists(ctx context.Context, db harness.Execer, query string, args ...any) (map[string][]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string][]string{}
	for rows.Next() {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return nil, err
		}
		out[k] = strings.Split(v, ",")
	}
	return out, rows.Err()
}

// history runs the transactions of the workers concurrently.
type history struct {
	db    *sql.DB
	level sql.IsolationLevel
	clock atomic.Int64
	txns  []*txRecord
	final map[string][]string
}

func runHistory(t *testing.T, db *sql.DB, level sql.IsolationLevel, seed uint64, keys, each int) *history {
	h := &history{db: db, level: level}
	errs := make([]error, harness.Workers)
	var group sync.WaitGroup
	for w := range harness.Workers {
		mine := makeTxns(rand.New(rand.NewPCG(seed, uint64(w))), w, each, keys)
		h.txns = append(h.txns, mine...)
		group.Go(func() {
			for _, tx := range mine {
				errs[w] = errors.Join(errs[w], h.run(tx))
			}
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(errs...))
	var err error
	h.final, err = readLists(context.Background(), db, selectAll)
	require.NoError(t, err)
	return h
}

// run runs a transaction. It returns only errors that must not occur.
func (h *history) run(rec *txRecord) error {
	ctx := context.Background()
	rec.call = h.clock.Add(1)
	tx, err := h.db.BeginTx(ctx, &sql.TxOptions{Isolation: h.level})
	if err != nil {
		return err
	}
	for i := range rec.ops {
		if rec.reads[i], err = rec.ops[i].run(ctx, tx); err != nil {
			break
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	_ = tx.Rollback()
	rec.end = h.clock.Add(1)
	rec.committed = err == nil
	if n := harness.NumberOf(err); n == 1213 || n == 1205 {
		return nil
	}
	return err
}

// guarantee is what a level guarantees about a history.
type guarantee struct {
	level sql.IsolationLevel
	holds func(*dependencies) error
}

var guarantees = []guarantee{
	{sql.LevelReadCommitted, (*dependencies).readCommitted},
	{sql.LevelRepeatableRead, (*dependencies).snapshotIsolation},
	{sql.LevelSerializable, (*dependencies).serializability},
}

// TestHistories checks histories over several rows at each level for the cycles
// of dependencies that the level forbids.
func TestHistories(t *testing.T) {
	t.Parallel() // it waits most of the time
	seed := testseed.Of(t)
	for _, g := range guarantees {
		t.Run(g.level.String(), func(t *testing.T) {
			harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
				h := runHistory(t, db, g.level, seed, 5, *harness.HistoryTxns)
				d, err := h.dependencies()
				require.NoError(t, err)
				require.NoError(t, g.holds(d))
				committed := 0
				for _, tx := range h.txns {
					if tx.committed {
						committed++
					}
				}
				require.Greater(t, committed, len(h.txns)/10, "a history of refusals tells nothing")
				t.Logf("%d of %d committed; it would pass as snapshot isolation: %v; as serializable: %v",
					committed, len(h.txns), d.snapshotIsolation() == nil, d.serializability() == nil)
			})
		})
	}
}

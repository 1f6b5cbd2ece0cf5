package transactions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// Single statements are linearizable, and SERIALIZABLE transactions strictly
// serializable: each takes effect at one moment between its call and its
// return. porcupine searches for such moments.

// cellOp is a statement on one cell; cellAnswer is its answer.
type cellOp struct {
	kind string // get, put, add, swap, delete
	key  string
	old  string // of swap
	new  string // of put and swap
}

// cellAnswer is a value, "" for none, or whether anything was changed.
type cellAnswer struct {
	value   string
	changed bool
}

func randomCellOp(r *rand.Rand, keys int) cellOp {
	kinds := []string{"get", "get", "put", "add", "add", "swap", "delete"}
	return cellOp{kinds[r.IntN(len(kinds))], strconv.Itoa(r.IntN(keys)), strconv.Itoa(r.IntN(4)), strconv.Itoa(r.IntN(4))}
}

func (o cellOp) run(db *sql.DB) (cellAnswer, error) {
	changed := func(query string, args ...any) (cellAnswer, error) {
		result, err := db.Exec(query, args...)
		if err != nil {
			return cellAnswer{}, err
		}
		n, err := result.RowsAffected()
		return cellAnswer{changed: n > 0}, err
	}
	switch o.kind {
	case "put":
		_, err := db.Exec("INSERT INTO t (K, Q, V) VALUES (?, 'q', ?)", o.key, o.new)
		return cellAnswer{}, err
	case "add":
		return changed("UPDATE t SET V = V + 1 WHERE K = ? AND Q = 'q'", o.key)
	case "swap":
		return changed("UPDATE t SET V = CONCAT(?, '') WHERE K = ? AND V = ? AND ? <> ?", o.new, o.key, o.old, o.new, o.old)
	case "delete":
		return changed("DELETE FROM t WHERE K = ?", o.key)
	}
	var v string
	err := db.QueryRow("SELECT V FROM t WHERE K = ? AND Q = 'q'", o.key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return cellAnswer{value: v}, err
}

// apply returns the operation's answer for a value, "" for none, and the value
// after it.
func (o cellOp) apply(value string) (cellAnswer, string) {
	switch o.kind {
	case "put":
		return cellAnswer{}, o.new
	case "add":
		if value == "" {
			return cellAnswer{}, ""
		}
		n, _ := strconv.Atoi(value)
		return cellAnswer{changed: true}, strconv.Itoa(n + 1)
	case "swap":
		if value != o.old || o.old == o.new {
			return cellAnswer{}, value
		}
		return cellAnswer{changed: true}, o.new
	case "delete":
		return cellAnswer{changed: value != ""}, ""
	}
	return cellAnswer{value: value}, value
}

// cellModel is one cell.
var cellModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[string][]porcupine.Operation{}
		for _, o := range history {
			key := o.Input.(cellOp).key
			by[key] = append(by[key], o)
		}
		var out [][]porcupine.Operation
		for _, part := range by {
			out = append(out, part)
		}
		return out
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		answer, next := input.(cellOp).apply(state.(string))
		return answer == output.(cellAnswer), next
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%v: %v", input, output) },
}

// checkWithin limits the time of porcupine's search.
const checkWithin = 3 * time.Minute

// operations runs each worker's fn n times and returns the history.
func operations(t *testing.T, seed uint64, n int, fn func(r *rand.Rand) (input, output any, err error)) []porcupine.Operation {
	var mu sync.Mutex
	var out []porcupine.Operation
	began := time.Now()
	harness.AtOnce(t, func(worker int) error {
		r := rand.New(rand.NewPCG(seed, uint64(worker)))
		for range n {
			call := time.Since(began)
			input, output, err := fn(r)
			if err != nil {
				return err
			}
			end := time.Since(began)
			if output == nil {
				continue // it was refused, and did nothing
			}
			mu.Lock()
			out = append(out, porcupine.Operation{ClientId: worker, Input: input, Call: int64(call), Output: output, Return: int64(end)})
			mu.Unlock()
		}
		return nil
	})
	return out
}

func TestStatementsAreLinearizable(t *testing.T) {
	seed := testseed.Of(t)
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		h := operations(t, seed, *harness.HistoryTxns, func(r *rand.Rand) (any, any, error) {
			o := randomCellOp(r, 6)
			answer, err := o.run(db)
			return o, answer, err
		})
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(cellModel, h, checkWithin))
	})
}

// storeModel is all rows; a transaction is one step.
var storeModel = porcupine.Model{
	Init: func() any { return map[string]string{} },
	Step: func(state, input, output any) (bool, any) {
		rows := maps.Clone(state.(map[string]string))
		for i, o := range input.([]txOp) {
			switch o.kind {
			case readOne:
				if rows[o.key] != output.([]string)[i] {
					return false, state
				}
			case readEach:
				if fmt.Sprint(rows) != output.([]string)[i] {
					return false, state
				}
			case appendOne:
				rows[o.key] += o.elem
			}
		}
		return true, rows
	},
	Equal: func(a, b any) bool { return maps.Equal(a.(map[string]string), b.(map[string]string)) },
}

// TestTransactionsAreStrictlySerializable: SERIALIZABLE transactions over
// several rows.
func TestTransactionsAreStrictlySerializable(t *testing.T) {
	seed := testseed.Of(t)
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		h := operations(t, seed, min(*harness.HistoryTxns, 25), func(r *rand.Rand) (any, any, error) {
			ops := makeTxns(r, 0, 1, 4)[0].ops
			for i := range ops {
				ops[i].elem = string(rune('a' + r.IntN(26)))
			}
			answer, err := runStep(db, ops)
			if harness.NumberOf(err) == 1213 {
				return nil, nil, nil
			}
			return ops, answer, err
		})
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(storeModel, h, checkWithin))
	})
}

// runStep runs a transaction and returns the answers of its operations.
func runStep(db *sql.DB, ops []txOp) (answers []string, err error) {
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	for _, o := range ops {
		answer, err := o.text(tx)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, tx.Commit()
}

func (o *txOp) text(tx *sql.Tx) (string, error) {
	if o.kind == appendOne {
		_, err := tx.Exec("INSERT INTO t VALUES (?, 'q', 1, ?) ON DUPLICATE KEY UPDATE V = CONCAT(V, VALUES(V))", o.key, o.elem)
		return "", err
	}
	query, args := selectOne, []any{o.key}
	if o.kind == readEach {
		query, args = selectAll, nil
	}
	lists, err := readLists(context.Background(), tx, query, args...)
	rows := map[string]string{}
	for k, v := range lists {
		rows[k] = v[0]
	}
	if o.kind == readEach {
		return fmt.Sprint(rows), err
	}
	return rows[o.key], err
}

package transactions

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// bankTime is how long TestBank runs at each level.
var bankTime = flag.Duration("bank.time", 700*time.Millisecond, "how long the bank's transfers run at each level")

const (
	bankAccounts = 200
	bankTellers  = 32
	bankStart    = 100
)

// TestBank lets 32 tellers transfer money between accounts in 97 partitions
// while auditors add up all accounts: each sum must be right.
func TestBank(t *testing.T) {
	t.Parallel() // it waits most of the time
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable} {
		t.Run(level.String(), func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 97")
			for i := range bankAccounts {
				harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('%04d', 'balance', 1, '%d')", i, bankStart))
			}
			b := &bank{db: db, level: level, until: time.Now().Add(*bankTime)}
			b.run(t)
			require.Equal(t, fmt.Sprint(bankStart*bankAccounts), harness.Single(t, db, "SELECT SUM(V) FROM t"))
			t.Logf("%d transfers, %d refused, %d audits", b.done.Load(), b.refused.Load(), b.audits.Load())
			require.Positive(t, b.done.Load())
			require.Positive(t, b.audits.Load())
		})
	}
}

type bank struct {
	db                    *sql.DB
	level                 sql.IsolationLevel
	until                 time.Time
	done, refused, audits atomic.Int64
}

func (b *bank) run(t *testing.T) {
	var all sync.WaitGroup
	for range bankTellers {
		all.Go(func() { b.repeat(t, b.transfer) })
	}
	for range 2 {
		all.Go(func() { b.repeat(t, b.audit) })
	}
	all.Wait()
}

// repeat calls do at least once, however late it starts, and until the time is
// over.
func (b *bank) repeat(t *testing.T, do func() error) {
	for assert.NoError(t, do()) && time.Now().Before(b.until) {
	}
}

// transfer moves existing money. It reads under locks, so that it is correct at
// each level.
func (b *bank) transfer() error {
	tx, err := b.db.BeginTx(context.Background(), &sql.TxOptions{Isolation: b.level})
	if err != nil {
		return err
	}
	from, to, amount := rand.IntN(bankAccounts), rand.IntN(bankAccounts), 1+rand.IntN(20)
	if err = move(tx, fmt.Sprintf("%04d", from), fmt.Sprintf("%04d", to), amount); err == nil {
		err = tx.Commit()
	}
	_ = tx.Rollback()
	switch harness.NumberOf(err) {
	case 0:
		b.done.Add(1)
	case 1213:
		b.refused.Add(1)
		err = nil
	}
	return err
}

func move(tx *sql.Tx, from, to string, amount int) error {
	var balance int
	if err := tx.QueryRow("SELECT V FROM t WHERE K = ? FOR UPDATE", from).Scan(&balance); err != nil {
		return err
	}
	if balance < amount || from == to {
		return nil
	}
	for account, change := range map[string]int{from: -amount, to: amount} {
		if _, err := tx.Exec("UPDATE t SET V = V + ? WHERE K = ?", change, account); err != nil {
			return err
		}
	}
	return nil
}

// audit adds up all accounts in one statement, and then in two halves from one
// snapshot.
func (b *bank) audit() error {
	var sum, poorest int
	if err := b.db.QueryRow("SELECT SUM(V), MIN(V + 0) FROM t").Scan(&sum, &poorest); err != nil {
		return err
	}
	if sum != bankStart*bankAccounts || poorest < 0 {
		return fmt.Errorf("the accounts hold %d, the poorest %d", sum, poorest)
	}
	tx, err := b.db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var low, high int
	for half, into := range map[string]*int{"<": &low, ">=": &high} {
		if err := tx.QueryRow("SELECT SUM(V) FROM t WHERE K " + half + " '0100'").Scan(into); err != nil {
			return err
		}
	}
	if low+high != bankStart*bankAccounts {
		return fmt.Errorf("the halves hold %d and %d", low, high)
	}
	b.audits.Add(1)
	return nil
}

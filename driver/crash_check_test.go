package driver

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
)

// check opens what a cut has left: the store, half the time with a second cut
// while it opens, and the last backup.
func (p *power) check(c cut) {
	if again := p.cutWhileOpening(c.fs); again != nil {
		p.tally["cut again while opening"]++
		p.checkStore(again, "d", c.safe, c.begun)
	}
	p.checkStore(c.fs, "d", c.safe, c.begun)
	for _, b := range c.backups {
		if _, err := c.fs.Stat(b.dir); err != nil && p.removed(b) {
			continue
		}
		p.tally["backups"]++
		p.checkStore(c.fs, b.dir, b.acked, c.begun)
	}
}

// removed reports whether a newer backup has replaced this one, perhaps already
// before the cut.
func (p *power) removed(b madeBackup) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.backups) == 0 || p.backups[0].dir != b.dir
}

// cutWhileOpening cuts a copy of the disk off while the store opens.
func (p *power) cutWhileOpening(fs *vfs.MemFS) *vfs.MemFS {
	if p.looks.IntN(2) == 0 {
		return nil
	}
	copied := wholeCopy(fs)
	var again *vfs.MemFS
	var mu sync.Mutex
	left := p.looks.IntN(60)
	percent, rng := survives(p.looks), rand.New(rand.NewPCG(p.looks.Uint64(), 2))
	db := p.open(errorfs.Wrap(copied, errorfs.InjectorFunc(func(errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if left--; left == 0 {
			again = copied.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
		}
		return nil
	})))
	require.NoError(p.t, db.Ping())
	require.NoError(p.t, db.Close())
	mu.Lock()
	defer mu.Unlock()
	return again
}

func wholeCopy(fs *vfs.MemFS) *vfs.MemFS {
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(0, 0))})
}

// checkStore compares a store with what its workers know.
func (p *power) checkStore(fs *vfs.MemFS, dir string, acked, begun []int) {
	fs = wholeCopy(fs) // each look changes the disk
	if dir != "d" {
		require.NoError(p.t, fs.RemoveAll("d"))
		require.NoError(p.t, fs.Rename(dir, "d"))
	}
	db := p.open(fs)
	defer func() { require.NoError(p.t, db.Close()) }()
	requireSound(p.t, db)
	p.requireSoundTables(db)
	var found [][]int
	for i, w := range p.workers {
		least := acked[i]
		state, err := w.state(p.t.Context(), db, w.name)
		require.NoError(p.t, err)
		matches := w.matches(state, least, begun[i])
		require.NotEmpty(p.t, matches, "%s: of %s neither %d nor up to %d steps are there:\n%s\nbut, after %d:\n%s",
			dir, w.name, least, begun[i], state, least, w.at(least))
		found = append(found, matches)
	}
	p.requirePrefix(found)
}

// requireSoundTables runs CHECK TABLE, which compares rows with the entries of indexes.
func (p *power) requireSoundTables(db *sql.DB) {
	for _, name := range p.tables {
		found, err := lines(p.t.Context(), db, "CHECK TABLE "+name)
		require.NoError(p.t, err)
		require.NotContains(p.t, found, " error ")
		require.NotContains(p.t, found, " warning ")
		require.Contains(p.t, found, " status OK")
	}
}

// requirePrefix: if a step is there, so is every step that was acknowledged
// before it began.
func (p *power) requirePrefix(found [][]int) {
	for i, w := range p.workers {
		last := found[i][len(found[i])-1]
		for j, other := range p.workers {
			first := found[j][0]
			missing, present := w.acknowledgedAt(last+1), other.beganAt(first)
			require.False(p.t, missing > 0 && missing < present,
				"step %d of %s is lost, and step %d of %s, which began later, is there", last+1, w.name, first, other.name)
		}
	}
}

// requireSound runs CHECK STORE.
func requireSound(t testing.TB, db *sql.DB) {
	t.Helper()
	rows, err := db.Query("CHECK STORE")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var table, op, kind, text string
		require.NoError(t, rows.Scan(&table, &op, &kind, &text))
		require.True(t, kind == "note" || text == "OK", "%s: %s", table, text)
	}
	require.NoError(t, rows.Err())
}

// lines runs queries and returns their rows as text.
func lines(ctx context.Context, db *sql.DB, queries ...string) (string, error) {
	var out strings.Builder
	for _, q := range queries {
		if err := addLines(ctx, &out, db, q); err != nil {
			return "", fmt.Errorf("%s: %w", q, err)
		}
	}
	return out.String(), nil
}

func addLines(ctx context.Context, out *strings.Builder, db *sql.DB, query string) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]sql.NullString, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		for _, v := range values {
			fmt.Fprintf(out, "%.40s ", v.String)
		}
		out.WriteByte('\n')
	}
	return rows.Err()
}

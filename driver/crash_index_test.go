package driver

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
)

// TestPowerLossOfIndexes cuts the power while indexes of tables that others write are built, changed, renamed and
// dropped, and while partitions change places with tables together with the entries of their indexes. As
// TestPowerLoss, and each index that is there then has the entries of all rows and no others.
func TestPowerLossOfIndexes(t *testing.T) {
	t.Run("Sync", func(t *testing.T) { runPowerLoss(t, (*power).withIndexes, true, *crashCuts) })
	t.Run("NoSync", func(t *testing.T) { runPowerLoss(t, (*power).withIndexes, false, *crashCuts/2) })
}

// withIndexes has workers that write rows and cells, and one that changes their indexes.
func (p *power) withIndexes(seed uint64) {
	run(p.t, p.db, "CREATE TABLE dml.r (id int PRIMARY KEY, number bigint, name varchar(40))",
		"INSERT INTO dml.r VALUES (0, -1, 'x')", "CREATE TABLE dml.c"+crashColumns, "CREATE TABLE dml.x"+swapColumns, "CREATE TABLE dml.p"+swapColumns+
			" PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (0), PARTITION p1 VALUES LESS THAN (100), PARTITION p2 VALUES LESS THAN MAXVALUE)")
	for n := range 8 {
		run(p.t, p.db, fmt.Sprintf("INSERT INTO dml.r SELECT id - %d, id - %[1]d - 1, 'x' FROM dml.r", 1<<n))
	}
	p.care = []string{"FLUSH TABLES", "", "OPTIMIZE TABLE dml.r, dml.c", ""}
	p.tables = []string{"dml.r", "dml.c", "dml.p", "dml.x"}
	p.workers = []*worker{
		newWorker(p, "w0", seed, (*worker).writeIndexed, indexedState),
		newWorker(p, "w1", seed, (*worker).writeIndexed, indexedState),
		newWorker(p, "ddl", seed, (*worker).changeIndexes, indexesState),
		newWorker(p, "swap", seed, (*worker).exchange, swapState),
	}
}

// swapColumns are those of the tables of which one exchanges a partition with the other: an index of them has
// entries that are exchanged, and another is rebuilt.
const swapColumns = " (id int PRIMARY KEY, number bigint, name varchar(40), UNIQUE u (id, number), KEY n (name, id))"

// own is where the numbers of the worker's rows begin.
func own(name string) int { return 1000 * int(1+name[len(name)-1]-'0') }

// writeIndexed is a transaction over a typed table and a family; no two rows get the same number.
func (w *worker) writeIndexed(ctx context.Context, n int) (synced bool, err error) {
	tx, err := w.p.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	for i := range 1 + w.rng.IntN(6) {
		id, number := own(w.name)+w.rng.IntN(40), 10_000*n+own(w.name)+i
		statement := []string{
			fmt.Sprintf("REPLACE INTO dml.r (id, number, name) VALUES (%d, %d, 'name %d')", id, number, w.rng.IntN(9)),
			fmt.Sprintf("UPDATE dml.r SET name = 'name %d' WHERE id = %d", w.rng.IntN(9), id),
			fmt.Sprintf("DELETE FROM dml.r WHERE id = %d", id),
			fmt.Sprintf("REPLACE INTO dml.c VALUES ('%s-%d', 'q', 1, '%d')", w.name, id, w.rng.IntN(9)),
			fmt.Sprintf("DELETE FROM dml.c WHERE K = '%s-%d'", w.name, id),
			fmt.Sprintf("REPLACE INTO dml.p VALUES (%d, %d, 'name %d')", id, number, w.rng.IntN(9)),
		}[w.rng.IntN(6)]
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return false, err
		}
	}
	return false, tx.Commit()
}

func indexedState(ctx context.Context, db *sql.DB, name string) (string, error) {
	return lines(ctx, db, fmt.Sprintf("SELECT id, number, name FROM dml.r WHERE id BETWEEN %d AND %d ORDER BY id", own(name), own(name)+999),
		fmt.Sprintf("SELECT * FROM dml.p WHERE id BETWEEN %d AND %d ORDER BY id", own(name), own(name)+999),
		"SELECT K, V FROM dml.c WHERE K LIKE '"+name+"-%' ORDER BY K")
}

// exchange exchanges a partition with a table, or writes to one of them.
func (w *worker) exchange(ctx context.Context, n int) (synced bool, err error) {
	table, id := []string{"p", "x"}[w.rng.IntN(2)], w.rng.IntN(100)
	statement := fmt.Sprintf("REPLACE INTO dml.%s VALUES (%[2]d, %[3]d, 'name'), (%[4]d, %[3]d, 'other')", table, id, n, id/2)
	switch w.rng.IntN(8) {
	case 0, 1, 2:
		synced, statement = true, "ALTER TABLE dml.p EXCHANGE PARTITION p1 WITH TABLE dml.x"
	case 3:
		statement = fmt.Sprintf("DELETE FROM dml.%s WHERE id BETWEEN %d AND %d", table, id/2, id)
	case 4:
		synced, statement = true, "ALTER TABLE dml.p TRUNCATE PARTITION p1"
	}
	_, err = w.p.db.ExecContext(ctx, statement)
	return synced, err
}

func swapState(ctx context.Context, db *sql.DB, _ string) (string, error) {
	return lines(ctx, db, "SELECT * FROM dml.p WHERE id < 100 ORDER BY id", "SELECT '', id, number, name FROM dml.x ORDER BY id")
}

var indexChanges = []string{
	"CREATE UNIQUE INDEX u ON dml.r (number)", "CREATE INDEX n ON dml.r (name, id)", "CREATE INDEX v ON dml.c (V(8), Q)",
	"CREATE INDEX v ON dml.c (V(8), Q)", "ALTER TABLE dml.r DROP INDEX n, ADD INDEX n (name(3))",
	"ALTER TABLE dml.r DROP INDEX u, ADD UNIQUE u (number, name)", "ALTER TABLE dml.r RENAME INDEX n TO m",
	"DROP INDEX u ON dml.r", "DROP INDEX n ON dml.r", "DROP INDEX m ON dml.r", "DROP INDEX v ON dml.c",
	"ALTER TABLE dml.r ADD x int DEFAULT 5, ADD INDEX x (x, number)", "ALTER TABLE dml.r DROP x",
	"ALTER TABLE dml.r MODIFY number int", "ALTER TABLE dml.r MODIFY number bigint",
}

// changeIndexes is one statement that changes indexes, which may be refused.
func (w *worker) changeIndexes(ctx context.Context, _ int) (synced bool, err error) {
	_, err = w.p.db.ExecContext(ctx, indexChanges[w.rng.IntN(len(indexChanges))])
	return true, err
}

func indexesState(ctx context.Context, db *sql.DB, _ string) (string, error) {
	return lines(ctx, db, "SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE FROM information_schema.STATISTICS "+
		"WHERE TABLE_SCHEMA = 'dml' ORDER BY 1, 2, 3",
		"SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'dml' AND TABLE_NAME = 'r' ORDER BY 1")
}

package stores

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// op is a statement that changes a table, with its outcome according to the
// model. Statements that let the server choose timestamps have a check instead
// of a fixed outcome: see adopt.
type op struct {
	sql string
	// apply changes the model as the statement must change the table, and
	// returns the number of rows affected; or it leaves the model alone and
	// returns the error number.
	apply func(m model) (affected int64, number uint16)
	// clock lists the columns that get one more version, with its value, at a
	// timestamp of the server's clock.
	clock func(m model) []clocked
}

// clocked is a version whose timestamp the server chooses: the clock's time,
// but at least from.
type clocked struct {
	column
	from int64
	v    *string
}

const noLaterT = 1264 // out of range: T is the largest already

func randomOp(r *rand.Rand, table string) op {
	switch r.IntN(17) {
	case 14:
		return moveVersionOp(r, table)
	case 15:
		return setTimeOp(r, table)
	case 16:
		return moveOp(r, table)
	case 0, 1, 2:
		return insertOp(r, table)
	case 3:
		return insertIgnoreOp(r, table)
	case 4:
		return upsertOp(r, table)
	case 5, 6:
		return replaceOp(r, table)
	case 7:
		return clockInsertOp(r, table)
	case 8:
		return updateLatestOp(r, table)
	case 9:
		return updateVersionsOp(r, table)
	case 10:
		return moveOp(r, table)
	case 11, 12:
		return deleteOp(r, table)
	}
	if r.IntN(8) == 0 {
		return op{sql: "TRUNCATE TABLE " + table, apply: func(m model) (int64, uint16) {
			m.clear()
			return 0, 0
		}}
	}
	return insertSelectOp(r, table)
}

func randomRows(r *rand.Rand) ([]row, string) {
	var rows []row
	var tuples []string
	for range 1 + r.IntN(4) {
		x := row{modelKey(r), modelQualifier(r), modelTime(r), modelValue(r)}
		rows = append(rows, x)
		tuples = append(tuples, x.tuple())
	}
	return rows, strings.Join(tuples, ", ")
}

func (r row) tuple() string {
	return fmt.Sprintf("(%s, %s, %d, %s)", harness.Lit(r.k), harness.Lit(r.q), r.t, litOrNull(r.v))
}

func insertOp(r *rand.Rand, table string) op {
	rows, tuples := randomRows(r)
	return op{sql: "INSERT INTO " + table + " (K, Q, T, V) VALUES " + tuples, apply: func(m model) (int64, uint16) {
		return insertAll(m, rows)
	}}
}

// insertAll writes all rows, or none if one is a duplicate.
func insertAll(m model, rows []row) (int64, uint16) {
	next := m.clone()
	for _, x := range rows {
		if next.has(x) {
			return 0, harness.DupEntry
		}
		next.put(x)
	}
	for _, x := range rows {
		m.put(x)
	}
	return int64(len(rows)), 0
}

func insertIgnoreOp(r *rand.Rand, table string) op {
	rows, tuples := randomRows(r)
	return op{sql: "INSERT IGNORE INTO " + table + " (K, Q, T, V) VALUES " + tuples, apply: func(m model) (n int64, _ uint16) {
		for _, x := range rows {
			if !m.has(x) {
				m.put(x)
				n++
			}
		}
		return n, 0
	}}
}

func upsertOp(r *rand.Rand, table string) op {
	rows, tuples := randomRows(r)
	sql := "INSERT INTO " + table + " (K, Q, T, V) VALUES " + tuples + " ON DUPLICATE KEY UPDATE V = VALUES(V)"
	return op{sql: sql, apply: func(m model) (n int64, _ uint16) {
		for _, x := range rows {
			switch old, ok := m.cells[column{x.k, x.q}][x.t]; {
			case !ok:
				n++
			case !sameValue(old, x.v):
				n += 2
			}
			m.put(x)
		}
		return n, 0
	}}
}

func sameValue(a, b *string) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

func replaceOp(r *rand.Rand, table string) op {
	rows, tuples := randomRows(r)
	return op{sql: "REPLACE INTO " + table + " (K, Q, T, V) VALUES " + tuples, apply: func(m model) (int64, uint16) {
		for _, x := range rows {
			m.put(x)
		}
		return int64(len(rows)), 0
	}}
}

func clockInsertOp(r *rand.Rand, table string) op {
	c, v := column{modelKey(r), modelQualifier(r)}, modelValue(r)
	verb := harness.Pick(r, []string{"INSERT", "REPLACE", "INSERT IGNORE"})
	sql := fmt.Sprintf("%s INTO %s (K, Q, V) VALUES (%s, %s, %s)", verb, table, harness.Lit(c.k), harness.Lit(c.q),
		litOrNull(v))
	apply := func(m model) (int64, uint16) {
		switch {
		case m.keptFrom(c) < math.MaxInt64:
			return 1, 0
		case verb == "INSERT IGNORE":
			return 0, 0
		}
		return 0, noLaterT
	}
	return op{sql: sql, apply: apply, clock: func(m model) []clocked {
		if m.keptFrom(c) == math.MaxInt64 {
			return nil
		}
		return []clocked{{c, m.keptFrom(c), v}}
	}}
}

func insertSelectOp(r *rand.Rand, table string) op {
	v, p, q := writeView(r), where(r, 1), modelQualifier(r)
	v.hint = ""
	if v.n != 0 {
		v = latestView()
	} else {
		v.suffix = " FOR SYSTEM_TIME ALL"
	}
	sql := fmt.Sprintf("INSERT INTO %s (K, Q, T, V) SELECT K, %s, T, V FROM %s%s WHERE %s AND Q <> %s AND T < 1000",
		table, harness.Lit(q), table, v.suffix, p.sql, harness.Lit(q))
	return op{sql: sql, apply: func(m model) (int64, uint16) {
		var rows []row
		for _, x := range m.rows(v) {
			if p.eval(x) == 1 && x.q != q && x.t < 1000 {
				rows = append(rows, row{x.k, q, x.t, x.v})
			}
		}
		return insertAll(m, rows)
	}}
}

// updateLatestOp adds a version to each matched cell whose value changes.
func updateLatestOp(r *rand.Rand, table string) op {
	p, v := where(r, 2), modelValue(r)
	sql := fmt.Sprintf("UPDATE %s SET V = %s WHERE T < 1000000000000000 AND %s", table, litOrNull(v), p.sql)
	changed := func(m model) (out []clocked) {
		for _, x := range m.rows(latestView()) {
			if x.t < 1000000000000000 && p.eval(x) == 1 && !sameValue(x.v, v) {
				out = append(out, clocked{column{x.k, x.q}, x.t + 1, v})
			}
		}
		return out
	}
	return op{sql: sql, apply: func(m model) (int64, uint16) { return int64(len(changed(m))), 0 }, clock: changed}
}

// updateVersionsOp changes versions in place.
func updateVersionsOp(r *rand.Rand, table string) op {
	view, p, v := writeView(r), where(r, 2), modelValue(r)
	if view.hint == "" {
		view = view1()
	}
	sql := fmt.Sprintf("UPDATE %s%s SET V = %s WHERE %s", view.hint, table, litOrNull(v), p.sql)
	return op{sql: sql, apply: func(m model) (n int64, _ uint16) {
		for _, x := range m.rows(view) {
			if p.eval(x) == 1 && !sameValue(x.v, v) {
				m.put(row{x.k, x.q, x.t, v})
				n++
			}
		}
		return n, 0
	}}
}

func view1() view {
	v := latestView()
	v.n, v.hint = 2, "/*+ VERSIONS(2) */ "
	return v
}

// moveOp moves a cell, with all its versions, to another row or qualifier.
func moveOp(r *rand.Rand, table string) op {
	from := column{modelKey(r), modelQualifier(r)}
	dest, set := column{from.k, modelQualifier(r)}, ""
	if set = "Q = " + harness.Lit(dest.q); r.IntN(2) == 0 {
		dest = column{modelKey(r), from.q}
		set = "K = " + harness.Lit(dest.k)
	}
	sql := fmt.Sprintf("UPDATE %s SET %s WHERE K = %s AND Q = %s", table, set, harness.Lit(from.k), harness.Lit(from.q))
	return op{sql: sql, apply: func(m model) (int64, uint16) {
		if from == dest || m.cells[from] == nil {
			return 0, 0
		}
		if m.cells[dest] != nil {
			return 0, harness.DupEntry
		}
		m.cells[dest] = m.cells[from]
		m.removeColumn(from)
		return 1, 0
	}}
}

// moveVersionOp moves one version, in the view of all of them.
func moveVersionOp(r *rand.Rand, table string) op {
	from := row{k: modelKey(r), q: modelQualifier(r), t: modelTime(r)}
	dest := row{k: modelKey(r), q: modelQualifier(r), t: modelTime(r)}
	sql := fmt.Sprintf("UPDATE /*+ VERSIONS(ALL) */ %s SET K = %s, Q = %s, T = %d WHERE K = %s AND Q = %s AND T = %d",
		table, harness.Lit(dest.k), harness.Lit(dest.q), dest.t, harness.Lit(from.k), harness.Lit(from.q), from.t)
	return op{sql: sql, apply: func(m model) (int64, uint16) {
		switch {
		case !m.has(from) || from == dest:
			return 0, 0
		case m.has(dest):
			return 0, harness.DupEntry
		}
		dest := dest
		dest.v = m.cells[column{from.k, from.q}][from.t]
		m.remove(from)
		m.put(dest)
		return 1, 0
	}}
}

// setTimeOp adds the newest value of a cell at another timestamp.
func setTimeOp(r *rand.Rand, table string) op {
	c, t := column{modelKey(r), modelQualifier(r)}, modelTime(r)
	sql := fmt.Sprintf("UPDATE %s SET T = %d WHERE K = %s AND Q = %s", table, t, harness.Lit(c.k), harness.Lit(c.q))
	return op{sql: sql, apply: func(m model) (int64, uint16) {
		for _, x := range m.rows(latestView()) {
			if (column{x.k, x.q}) != c || x.t == t {
				continue
			}
			x.t = t
			if m.has(x) {
				return 0, harness.DupEntry
			}
			m.put(x)
			return 1, 0
		}
		return 0, 0
	}}
}

func deleteOp(r *rand.Rand, table string) op {
	view, p := writeView(r), where(r, 2)
	sql := fmt.Sprintf("DELETE %sFROM %s WHERE %s", view.hint, table, p.sql)
	limit := math.MaxInt
	if r.IntN(3) == 0 {
		limit = r.IntN(4)
		sql += fmt.Sprintf(" ORDER BY K, Q, T DESC LIMIT %d", limit)
	}
	return op{sql: sql, apply: func(m model) (n int64, _ uint16) {
		for _, x := range m.rows(view) {
			if p.eval(x) != 1 || n == int64(limit) {
				continue
			}
			n++
			if view.hint == "" {
				m.removeColumn(column{x.k, x.q})
			} else {
				m.remove(x)
			}
		}
		return n, 0
	}}
}

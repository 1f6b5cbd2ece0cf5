package advise

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// sample is some rows of a table, in the order of their keys.
type sample struct {
	rows  []sampledRow
	whole bool // all rows are in it
	// values counts some values, with their total and maximum length in bytes.
	values, valueBytes, valueMax int64
}

// sampledRow is a row without its values.
type sampledRow struct {
	key       []byte
	cells     int64
	qualifier int64 // bytes of all its qualifiers
	newest    int64 // the T of its newest cell
	partition int   // ordinal
}

// places is the number of places of a partition at which rows are read, if not
// all are.
const places = 40

// takeSample reads about n rows at most: all of a small table, otherwise from
// each partition in proportion to its size, in runs that begin at places spread
// over its keys. Places are interpolated from the bytes that occur in keys:
// among dense keys too few rows are taken, and among sparse ones too many.
func (t *advisedTable) takeSample(ctx context.Context, conn *sql.Conn, n int) error {
	if err := t.guessWhole(ctx, conn, n); err != nil {
		return err
	}
	filled := 1.0
	quotas := make([]int, len(t.partitions))
	for i, p := range t.partitions {
		s := partitionSampler{ctx: ctx, conn: conn, table: t, ordinal: i, from: t.name, seen: map[string]bool{}}
		if p.name != "" {
			s.from += " PARTITION (" + quoteName(p.name) + ")"
		}
		quota := n
		if !t.sample.whole {
			quota = max(places, int(float64(n)*float64(p.cells)/float64(t.cells())))
		}
		if err := s.take(quota, t.sample.whole); err != nil {
			return err
		}
		if quotas[i] = quota; quota > places {
			filled = min(filled, float64(len(s.seen))/float64(quota))
		}
		if err := s.takeValues(); err != nil {
			return err
		}
	}
	slices.SortFunc(t.sample.rows, func(a, b sampledRow) int { return bytes.Compare(a.key, b.key) })
	if !t.sample.whole {
		t.sample.even(quotas, filled)
	}
	return nil
}

// even keeps the same share of each partition's quota, so that the numbers of
// rows are proportional to the sizes.
func (s *sample) even(quotas []int, filled float64) {
	have, taken := make([]int, len(quotas)), make([]int, len(quotas))
	for _, r := range s.rows {
		have[r.partition]++
	}
	seen := make([]int, len(quotas))
	s.rows = slices.DeleteFunc(s.rows, func(r sampledRow) bool {
		p := r.partition
		want := min(have[p], max(1, int(filled*float64(quotas[p]))))
		seen[p]++
		if seen[p]*want/have[p] == taken[p] {
			return true
		}
		taken[p]++
		return false
	})
}

// guessWhole estimates, from the width of the first rows, whether n rows are
// all.
func (t *advisedTable) guessWhole(ctx context.Context, conn *sql.Conn, n int) error {
	var rows, cells int64
	err := conn.QueryRowContext(ctx, "SELECT /*+ VERSIONS(1) */ COUNT(*), COALESCE(SUM(n), 0) FROM (SELECT COUNT(*) AS n FROM "+
		t.name+" GROUP BY K LIMIT 100) AS r").Scan(&rows, &cells)
	t.sample.whole = rows < 100 || float64(t.cells())*float64(rows)/float64(cells) <= float64(n)
	return err
}

// partitionSampler reads rows of one partition.
type partitionSampler struct {
	ctx     context.Context
	conn    *sql.Conn
	table   *advisedTable
	ordinal int
	from    string // the operand of FROM
	seen    map[string]bool
}

func (s *partitionSampler) take(quota int, whole bool) error {
	if whole {
		_, err := s.run("", quota)
		return err
	}
	run := max(1, quota/places)
	head, err := s.run("", run)
	if err != nil || len(head) < run {
		return err
	}
	tail, err := s.run("DESC", run)
	if err != nil {
		return err
	}
	keys := append(head, tail...)
	for i := 1; i < places-1; i++ {
		more, err := s.run("", run, interpolate(keys, float64(i)/(places-1)))
		if err != nil {
			return err
		}
		keys = append(keys, more...)
	}
	return nil
}

// run reads n rows from a key on, or the last n, and returns their keys. It
// reads no values, only counts and the lengths of qualifiers.
func (s *partitionSampler) run(direction string, n int, from ...any) ([][]byte, error) {
	where := ""
	if len(from) > 0 {
		where = " WHERE K >= ?"
	}
	rows, err := s.conn.QueryContext(s.ctx, fmt.Sprintf(
		"SELECT /*+ VERSIONS(1) */ K, COUNT(*), SUM(LENGTH(Q)), MAX(T) FROM %s%s GROUP BY K ORDER BY K %s LIMIT %d", s.from, where, direction, n), from...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var keys [][]byte
	for rows.Next() {
		r := sampledRow{partition: s.ordinal}
		if err := rows.Scan(&r.key, &r.cells, &r.qualifier, &r.newest); err != nil {
			return nil, err
		}
		keys = append(keys, r.key)
		if !s.seen[string(r.key)] {
			s.seen[string(r.key)] = true
			s.table.sample.rows = append(s.table.sample.rows, r)
		}
	}
	return keys, rows.Err()
}

// takeValues reads the lengths of some values.
func (s *partitionSampler) takeValues() error {
	row := s.conn.QueryRowContext(s.ctx,
		"SELECT /*+ VERSIONS(1) */ COUNT(*), COALESCE(SUM(n), 0), COALESCE(MAX(n), 0) FROM (SELECT LENGTH(V) AS n FROM "+s.from+" LIMIT 200) AS v")
	var count, sum, longest int64
	if err := row.Scan(&count, &sum, &longest); err != nil {
		return err
	}
	v := &s.table.sample
	v.values, v.valueBytes, v.valueMax = v.values+count, v.valueBytes+sum, max(v.valueMax, longest)
	return nil
}

// interpolate is a key at a fraction of the way from the smallest to the
// largest of the keys, with the bytes that occur in them as digits.
func interpolate(keys [][]byte, fraction float64) []byte {
	low, high := slices.MinFunc(keys, bytes.Compare), slices.MaxFunc(keys, bytes.Compare)
	n := 0
	for n < len(low) && n < len(high) && low[n] == high[n] {
		n++
	}
	out := slices.Clone(low[:n])
	seen := bytesFrom(keys, n)
	for digits := 0; digits < 8 && len(out) < len(high); digits++ {
		first, last := bytesAt(keys, len(out))
		var alphabet []byte
		for b := int(first); b <= int(last); b++ {
			if seen[b] {
				alphabet = append(alphabet, byte(b))
			}
		}
		if len(alphabet) == 0 {
			break
		}
		step := fraction * float64(len(alphabet))
		out = append(out, alphabet[int(step)])
		fraction = step - float64(int(step))
	}
	return out
}

// bytesFrom are the bytes that occur in keys from an offset on.
func bytesFrom(keys [][]byte, from int) (seen [256]bool) {
	for _, k := range keys {
		for _, b := range k[min(from, len(k)):] {
			seen[b] = true
		}
	}
	return seen
}

// bytesAt are the smallest and the largest byte at an offset of the keys.
func bytesAt(keys [][]byte, i int) (low, high byte) {
	low = 255
	for _, k := range keys {
		if i < len(k) {
			low, high = min(low, k[i]), max(high, k[i])
		}
	}
	return low, high
}

// cellCount is the number of cells of the sampled rows.
func (s *sample) cellCount() (n int64) {
	for _, r := range s.rows {
		n += r.cells
	}
	return n
}

// byTime returns the rows from the oldest to the newest.
func (s *sample) byTime() []sampledRow {
	out := slices.Clone(s.rows)
	slices.SortStableFunc(out, func(a, b sampledRow) int { return cmp.Compare(a.newest, b.newest) })
	return out
}

// thin is at most n of the rows, evenly spaced.
func (s *sample) thin(n int) []sampledRow {
	if len(s.rows) <= n {
		return s.rows
	}
	out := make([]sampledRow, n)
	for i := range out {
		out[i] = s.rows[i*len(s.rows)/n]
	}
	return out
}

package harness

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Viewed are the versions on which views are tested: each value is its
// version's number.
const Viewed = "a/q/5/5 a/q/3/3 a/q/1/1 a/r/2/2 b/q/4/4 b/q/-5/-5 c/q/7/7"

// Slashed writes lines as in Viewed: slashes between columns, spaces between rows.
func Slashed(lines []string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(lines, "|"), " ", "/"), "|", " ")
}

// PutVersions writes versions given as K/Q/T/V.
func PutVersions(t testing.TB, db Execer, text string) {
	t.Helper()
	for _, version := range strings.Fields(text) {
		p := strings.SplitN(version, "/", 4)
		var v any = p[3]
		if p[3] == "NULL" {
			v = nil
		}
		Affected(t, db, "REPLACE INTO t (K, Q, T, V) VALUES (?, ?, ?, ?)", p[0], p[1], p[2], v)
	}
}

// Versions returns all versions of t as K/Q/T/V; T is "now" from start on, for
// some years.
func Versions(t testing.TB, db Execer, start int64) string {
	t.Helper()
	var out []string
	for _, line := range Lines(t, db, "SELECT CONCAT(K, '/', Q, '/'), T, CONCAT('/', IFNULL(V, 'NULL')) FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC") {
		p := strings.SplitN(line, " ", 3)
		ts, err := strconv.ParseInt(p[1], 10, 64)
		require.NoError(t, err)
		if start <= ts && ts < start+1e12 {
			p[1] = "now"
		}
		out = append(out, strings.Join(p, ""))
	}
	return strings.Join(out, " ")
}

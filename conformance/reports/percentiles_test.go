package reports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestRandomPercentiles compares MEDIAN, PERCENTILE_CONT and PERCENTILE_DISC with the result of
// sorting the values and, if there is a server, with its answers.
func TestRandomPercentiles(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 11))
	for _, memory := range []string{"", "?queryMemory=64KiB"} {
		db := harness.OpenDB(t, "file::memory:"+memory)
		var peer harness.Execer
		if *harness.MariaDB != "" {
			peer = oracle.OpenMariaDB(t)
			harness.Must(t, peer, "DROP TABLE IF EXISTS t", "CREATE TABLE t"+harness.MemberColumns)
		}
		harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns)
		groups, cells := map[string][]int{}, []string{}
		for i := range 600 {
			group, v, text := fmt.Sprintf("g%d", r.IntN(9)), r.IntN(50)-20, "NULL"
			if _, known := groups[group]; !known {
				groups[group] = []int{}
			}
			if group != "g3" && r.IntN(5) > 0 {
				groups[group], text = append(groups[group], v), fmt.Sprintf("'%d'", v)
			}
			cells = append(cells, fmt.Sprintf("('%04d', '%s', 1, %s)", i, group, text))
		}
		harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
		for range 20 {
			share := []float64{0, 1, 0.5, 0.25, 0.1, 0.95, float64(r.IntN(1000)) / 1000}[r.IntN(7)]
			direction := []string{"", " DESC"}[r.IntN(2)]
			text := fmt.Sprintf("SELECT DISTINCT Q, PERCENTILE_CONT(%[1]v) WITHIN GROUP (ORDER BY CAST(V AS SIGNED)%[2]s) OVER (PARTITION BY Q) AS c, PERCENTILE_DISC(%[1]v) WITHIN GROUP "+
				"(ORDER BY CAST(V AS SIGNED)%[2]s) OVER (PARTITION BY Q) AS d, MEDIAN(CAST(V AS SIGNED)) OVER (PARTITION BY Q) AS m FROM t ORDER BY Q", share, direction)
			got := harness.Lines(t, db, text)
			require.Equal(t, percentilesOf(groups, share, direction != ""), rounded(got), text)
			if peer != nil {
				harness.Must(t, peer, "DELETE FROM t", "INSERT INTO t VALUES "+strings.Join(cells, ", "))
				require.Equal(t, rounded(harness.Lines(t, peer, text)), rounded(got), text)
			}
		}
	}
}

// rounded rounds numbers to six decimal places.
func rounded(lines []string) []string {
	for i, line := range lines {
		words := strings.Split(line, " ")
		for at, w := range words {
			if f, err := strconv.ParseFloat(w, 64); err == nil {
				words[at] = fmt.Sprintf("%.6f", f+0)
			}
		}
		lines[i] = strings.Join(words, " ")
	}
	return lines
}

func percentilesOf(groups map[string][]int, share float64, descending bool) (out []string) {
	for name := range groups {
		values := slices.Clone(groups[name])
		if slices.Sort(values); len(values) == 0 {
			out = append(out, name+" NULL NULL NULL")
			continue
		}
		median := between(values, 0.5)
		if descending {
			slices.Reverse(values)
		}
		first := 0
		for float64(first+1)/float64(len(values)) < share {
			first++
		}
		out = append(out, fmt.Sprintf("%s %.6f %.6f %.6f", name, between(values, share), float64(values[first]), median))
	}
	slices.Sort(out)
	return out
}

// between interpolates the values nearest to a share of the way through them.
func between(values []int, share float64) float64 {
	at := share * float64(len(values)-1)
	low := int(at)
	if float64(low) == at {
		return float64(values[low])
	}
	part := at - float64(low)
	return float64(values[low])*(float64(low+1)-at) + float64(values[low+1])*part
}

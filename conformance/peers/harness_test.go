package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tiny are the stages of a run that checks answers, not times.
func tiny() []stage { return append([]stage{durableStage(1000)}, stages(2000)...) }

// tinyContenders take part in it: servers take longer to start than to answer.
var tinyContenders = flag.String("tiny.contenders", "^(floor|pebble|hbasekv|sqlite)", "who takes part in the runs that are about right answers; empty for all")

func tinyRunner(t *testing.T, loaded bool) *runner {
	r, _, err := newRunner(&options{loaded: loaded, contender: *tinyContenders, repeat: 1, long: time.Microsecond, limit: 30 * time.Second})
	require.NoError(t, err)
	r.progress = io.Discard
	return r
}

// TestContendersAgree runs every workload with every contender once: each must
// give the model's answers, and contain afterwards what was written.
func TestContendersAgree(t *testing.T) {
	r := tinyRunner(t, false)
	rep := newReport()
	for _, st := range tiny() {
		results, err := r.run(st)
		require.NoError(t, err)
		rep.Results = append(rep.Results, results...)
	}
	results, err := tinyRunner(t, true).run(loadedStage(2000))
	require.NoError(t, err)
	rep.Results = append(rep.Results, results...)
	for _, got := range rep.Results {
		if got.Contender != "chai" {
			require.Empty(t, got.Out, "%s %s", got.Workload, got.Contender)
			require.Positive(t, got.NS)
		}
		if got.Out != "" {
			t.Logf("%s, %s: %s %s", got.Data, got.Workload, got.Contender, got.Out)
		}
	}
	file := filepath.Join(t.TempDir(), "peers.svg")
	require.NoError(t, rep.writeSVG(file))
	t.Log("\n" + rep.text())
}

// TestWrongAnswersAreFound checks the check: it finds statements that omit a
// row, or return another value or another order.
func TestWrongAnswersAreFound(t *testing.T) {
	d := dataset{500, 100}
	wrong := map[string]struct{ query, statement string }{
		"too few":        {"scan", "SELECT K, Q, T, V FROM {t} LIMIT 499"},
		"another value":  {"scan", "SELECT K, Q, T, K FROM {t}"},
		"another time":   {"scan", "SELECT K, Q, T + 1, V FROM {t}"},
		"twice the same": {"scan", "SELECT K, 'q00', T, V FROM {t}"},
		"another order":  {"range", "SELECT K, Q, T, V FROM {t} WHERE K >= ? AND K < ? ORDER BY K DESC"},
	}
	for name, w := range wrong {
		t.Run(name, func(t *testing.T) {
			dialect := *hbasekv(1)
			dialect.reads = map[string][]string{w.query: {w.statement}}
			b, err := openBench(&contender{name: "hbasekv", open: dialect.open}, d, false, []table{d.main()}, time.Minute)
			require.NoError(t, err)
			defer b.close()
			for _, load := range rangeReads(d) {
				if load.name == map[string]string{"scan": "full scan", "range": "prefix scan, 100 cells"}[w.query] {
					require.ErrorIs(t, load.check(b), errWrong)
				}
			}
		})
	}
}

func TestRatios(t *testing.T) {
	l := &line{results: map[string]result{
		"floor": {NS: 100}, "pebble": {NS: 300}, "hbasekv": {NS: 600}, "sqlite": {NS: 1800}, "chai": {Out: "no"}, "mariadb": {NS: 1200},
	}}
	require.Equal(t, 1.5, l.overYardsticks(""))
	peer, faster := l.bestPeer("")
	require.Equal(t, "mariadb", peer)
	require.Equal(t, 2.0, faster)
	require.Equal(t, 3.0, l.atMost(""))
	require.Equal(t, 2.5, median([]float64{4, 1, 3, 2}))
	require.Equal(t, "1.20 us", duration(1200))
}

func TestReplaceMarked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(file, []byte("a\n<!-- peers:begin -->\nold\n<!-- peers:end -->\nb\n"), 0o644))
	for range 2 {
		require.NoError(t, replaceMarked(file, "peers", "new\n"))
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "a\n<!-- peers:begin -->\n\nnew\n\n<!-- peers:end -->\nb\n", string(got))
	}
	require.Error(t, replaceMarked(file, "growth", "new"))
}

func TestPicture(t *testing.T) {
	require.Equal(t, "\n![Times beside hbasekv's](../conformance/peers/peers.svg)\n", picture("../../docs/performance.md", "../../conformance/peers/peers.svg"))
	require.Empty(t, picture("README.md", ""))
}

// TestZipf compares the ranks' frequencies with the distribution's.
func TestZipf(t *testing.T) {
	const n, draws = 1000, 200_000
	rank, seen := zipf(n), make([]int, n)
	for i := range draws {
		seen[rank((float64(i)+0.5)/draws)]++
	}
	require.InEpsilon(t, draws/zeta(n), seen[0], 0.01)
	require.Greater(t, seen[1], seen[10])
	require.Greater(t, seen[10], seen[100])
	require.Positive(t, seen[n-1])
}

// TestNamesSelect selects workloads by a part of their names.
func TestNamesSelect(t *testing.T) {
	r := &runner{workloads: regexp.MustCompile("YCSB A")}
	st := stages(1000)[0]
	wanted := r.wanted(st)
	require.Len(t, wanted, 3)
	require.Equal(t, []table{st.data.records()}, needed(st.tables, wanted))
}

// TestGrowth measures the figures at one tiny size.
func TestGrowth(t *testing.T) {
	r := tinyRunner(t, false)
	figures, err := r.grow([]int{2000})
	require.NoError(t, err)
	for _, g := range figures {
		if g.By != "connections" { // a heap may shrink meanwhile
			require.Positive(t, g.Value, "%+v", g)
		}
	}
	text := (&report{Growth: figures}).text()
	for _, by := range []string{"| cells | 2k |", "| partitions | 1 | 7 | 97 | 997 |", "| versions | 1 | 10 | 100 | 1k | 10k |", "| connections |"} {
		require.Contains(t, text, by)
	}
	t.Log("\n" + text)
}

// TestGrowBulk measures the figures of bulk loaded cells at two tiny sizes.
func TestGrowBulk(t *testing.T) {
	r := tinyRunner(t, false)
	figures, err := r.growBulk([]int{2000, 20_000})
	require.NoError(t, err)
	steps := map[string]int{}
	for _, g := range figures {
		require.Positive(t, g.Value, "%+v", g)
		steps[g.Step+" "+g.Contender]++
	}
	require.Equal(t, map[string]int{"2k hbasekv": 9, "2k pebble": 9, "20k hbasekv": 9, "20k pebble": 9, "20k growth beside pebble's": 8}, steps)
	require.Contains(t, (&report{Growth: figures}).text(), "| cells, bulk loaded | 2k | 20k |")
}

// TestKeys: keys sort by their numbers, and their prefixes are counted.
func TestKeys(t *testing.T) {
	for _, from := range []int{0, 150, 9_999, manyKeys - 700, 2*manyKeys - 3000, 9 * manyKeys} {
		seen := map[string]bool{}
		for i := from; i < from+5000; i++ {
			require.Less(t, string(key(i)), string(key(i+1)))
			seen[string(key(i)[:groupPrefix])] = true
			require.Equal(t, len(seen), prefixes(from, i+1), "%d to %d", from, i)
		}
	}
}

package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// writeRecorded writes a file of one JSON document a line, compressed.
func writeRecorded[T any](t *testing.T, file string, lines []T) {
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	f, err := os.Create(file)
	require.NoError(t, err)
	zip, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	require.NoError(t, err)
	enc := json.NewEncoder(zip)
	for _, line := range lines {
		require.NoError(t, enc.Encode(line))
	}
	require.NoError(t, zip.Close())
	require.NoError(t, f.Close())
}

// readRecorded are the lines of a file that writeRecorded wrote.
func readRecorded[T any](t *testing.T, file string) []T {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	zip, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	lines := bufio.NewScanner(zip)
	lines.Buffer(nil, 1<<24)
	var out []T
	for lines.Scan() {
		var line T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		out = append(out, line)
	}
	require.NoError(t, lines.Err())
	return out
}

// recordedStore is a store on which recorded statements are asked.
type recordedStore struct {
	name, layout string
	db           *sql.DB
}

// oracleStores are the oracle's tables in each layout.
func oracleStores(t *testing.T) (out []recordedStore) {
	for _, layout := range slices.Sorted(maps.Keys(partitionings)) {
		out = append(out, recordedStore{layout, layout, openOracleTable(t, layout)})
	}
	return out
}

// eachRecorded gives the recorded statements to the stores in turn, beginning with any,
// in long runs each to every store, and in short ones a few. Half of them are announced.
// It counts the checks.
func eachRecorded(t *testing.T, recorded []answer, stores []recordedStore, check func(s recordedStore, want answer)) (asked int) {
	first := rand.IntN(len(stores))
	t.Logf("the first statement is asked on %s", stores[first].name)
	for i, want := range recorded {
		if testing.Short() && i%11 != 0 {
			continue
		}
		for j, s := range stores {
			if !*long && j != (first+i)%len(stores) {
				continue
			}
			if i/len(stores)%2 == 0 {
				announce(t, s.db, starless(want.SQL))
			}
			check(s, want)
			asked++
		}
	}
	return asked
}

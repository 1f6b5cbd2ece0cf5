package oracle

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

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// WriteRecorded writes a compressed file with one JSON document per line.
func WriteRecorded[T any](t *testing.T, file string, lines []T) {
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

// ReadRecorded returns the lines of a file that WriteRecorded wrote.
func ReadRecorded[T any](t *testing.T, file string) []T {
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

// RecordedStore is a store on which recorded statements run.
type RecordedStore struct {
	Name, Layout string
	DB           *sql.DB
}

// Stores are stores with the oracle's tables in each layout.
func Stores(t *testing.T) (out []RecordedStore) {
	for _, layout := range slices.Sorted(maps.Keys(Partitionings)) {
		out = append(out, RecordedStore{layout, layout, OpenTables(t, layout)})
	}
	return out
}

// EachRecorded calls check with recorded statements and stores in turn, beginning with a
// random store: in long runs with all pairs, in short ones with a few. Half of the
// statements are announced. It returns the number of checks.
func EachRecorded(t *testing.T, recorded []Answer, stores []RecordedStore, check func(s RecordedStore, want Answer)) (asked int) {
	first := rand.IntN(len(stores))
	t.Logf("the first statement is asked on %s", stores[first].Name)
	for i, want := range recorded {
		if testing.Short() && i%11 != 0 {
			continue
		}
		for j, s := range stores {
			if !*harness.Long && j != (first+i)%len(stores) {
				continue
			}
			if i/len(stores)%2 == 0 {
				Announce(t, s.DB, Starless(want.SQL))
			}
			check(s, want)
			asked++
		}
	}
	return asked
}

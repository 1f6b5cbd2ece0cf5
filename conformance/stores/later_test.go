package stores

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestLaterFormat: a store of a later format is refused however it is opened, as is a backup of it, and is
// not changed.
func TestLaterFormat(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	db := harness.OpenEmbedded(t, "file:"+dir)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('k', 'q', 1, 'v')", "BACKUP TO '"+dir+"-copy'")
	require.NoError(t, db.Close())
	for _, dir := range []string{dir, dir + "-copy"} {
		setFormat(t, dir, "4")
		for _, dsn := range []string{"file:" + dir, "file:" + dir + "?readOnly=true", "file:" + dir + "?sync=false", dir} {
			db, err := sql.Open("hbasekv", dsn)
			require.NoError(t, err)
			err = db.Ping()
			require.ErrorContains(t, err, dir+": ")
			require.ErrorContains(t, err, "made by a later version of hbasekv: it has format 4, and this one reads up to format 3")
			require.NoError(t, db.Close())
		}
		setFormat(t, dir, "3")
		db := harness.OpenEmbedded(t, "file:"+dir)
		require.Equal(t, []string{"k q 1 v"}, harness.Lines(t, db, "SELECT K, Q, T, V FROM t"))
		require.Contains(t, harness.Lines(t, db, "CHECK STORE"), "*.* check note the store has format 3")
		requireSound(t, db)
		require.NoError(t, db.Close())
	}
}

// setFormat writes the record of a store's format.
func setFormat(t *testing.T, dir, format string) {
	t.Helper()
	comparer := *pebble.DefaultComparer
	comparer.Name, comparer.Split = "hbasekv.cells.1", splitAtRow
	comparer.ComparePointSuffixes, comparer.CompareRangeSuffixes = bytes.Compare, bytes.Compare
	raw, err := pebble.Open(dir, &pebble.Options{
		Comparer: &comparer, FormatMajorVersion: pebble.FormatValueSeparation, Logger: quiet{}})
	require.NoError(t, err)
	require.NoError(t, raw.Set([]byte("\x00\x00\x00\x00format"), []byte(format), pebble.Sync))
	require.NoError(t, raw.Close())
}

// splitAtRow returns the length of a key up to the end of its row.
func splitAtRow(key []byte) int {
	const space = 4
	if len(key) >= space {
		if row := bytes.Index(key[space:], []byte{0, 1}); row >= 0 {
			return space + row + 2
		}
	}
	return len(key)
}

// quiet is a logger that logs nothing.
type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(text string, _ ...any) { panic(text) }

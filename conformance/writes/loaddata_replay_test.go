package writes

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// replayLines and replayWidth make a text of 40 MiB, more than a load keeps in memory to be run again.
const replayLines, replayWidth = 40 << 10, 1 << 10

// replayText is a text of lines that begin with their numbers.
func replayText() []byte {
	var b bytes.Buffer
	rest := strings.Repeat("v", replayWidth-8)
	for i := range replayLines {
		fmt.Fprintf(&b, "%06d\t%s\n", i, rest)
	}
	return b.Bytes()
}

// between is a reader of a text that can be read once, and does something when most of it has been read.
type between struct {
	rest []byte
	do   func()
}

func (r *between) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	before := len(r.rest)
	n := copy(p, r.rest)
	if r.rest = r.rest[n:]; before > 8<<20 && len(r.rest) <= 8<<20 {
		r.do()
	}
	return n, nil
}

// readOnce registers the text for LOAD DATA LOCAL INFILE '<file>', which must be opened once.
func readOnce(t *testing.T, text []byte, do func()) (file string) {
	opened := 0
	driver.RegisterReader(t.Name(), func() io.Reader {
		opened++
		return &between{text, do}
	})
	t.Cleanup(func() {
		driver.DeregisterReader(t.Name())
		require.Equal(t, 1, opened)
	})
	return "Reader::" + t.Name()
}

// replays are tables, their loads, and DDL meanwhile after which a load has to run again.
var replays = map[string]struct{ create, load, ddl string }{
	"typed": {
		"CREATE TABLE t (id int PRIMARY KEY, v varchar(1100))", "INTO TABLE t (id, v)", "ALTER TABLE t ADD COLUMN more int, ADD INDEX (more)",
	},
	"cells": {
		"CREATE TABLE t " + harness.PlainTable, "REPLACE INTO TABLE t (K, V) SET Q = 'q', T = 1", "ALTER TABLE t ADD INDEX v (V(3))",
	},
	"files": {
		"CREATE TABLE t " + harness.PlainTable, "REPLACE INTO TABLE t (K, V) SET Q = 'q', T = 1", "TRUNCATE TABLE t",
	},
}

// TestLoadDataReplay loads 40 MiB that can be read once, beside DDL that makes the load run again. What it has read is
// meanwhile in a temporary file without a name, which a crash would not leave.
func TestLoadDataReplay(t *testing.T) {
	text := replayText()
	for name, c := range replays {
		t.Run(name, func(t *testing.T) {
			db, dir := harness.SpillDB(t, "64MiB")
			harness.Must(t, db, c.create)
			file := readOnce(t, text, func() {
				left, err := os.ReadDir(dir)
				require.NoError(t, err)
				require.Empty(t, left)
				require.Len(t, harness.OpenFilesIn(dir), 1)
				harness.Must(t, db, c.ddl)
			})
			harness.Must(t, db, "LOAD DATA LOCAL INFILE '"+file+"' "+c.load)
			harness.RequireNoFiles(t, dir)
			require.Equal(t, fmt.Sprint(replayLines), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
			require.Equal(t, fmt.Sprint(replayWidth-8), harness.Single(t, db, "SELECT MIN(LENGTH(v)) FROM t"))
		})
	}
}

// seekable is a file that can be read again from its start.
type seekable struct {
	*os.File
	reads io.Reader
}

func (f *seekable) Read(p []byte) (int, error) { return f.reads.Read(p) }

func (f *seekable) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		f.reads = f.File
	}
	return f.File.Seek(offset, whence)
}

// TestLoadDataReplaySeeks: a file is read again, and not kept.
func TestLoadDataReplaySeeks(t *testing.T) {
	text := replayText()
	c := replays["typed"]
	db, dir := harness.SpillDB(t, "64MiB")
	harness.Must(t, db, c.create)
	file, err := os.Create(filepath.Join(t.TempDir(), "load"))
	require.NoError(t, err)
	_, err = file.Write(append([]byte("no line of the load\n"), text...))
	require.NoError(t, err)
	_, err = file.Seek(int64(len("no line of the load\n")), io.SeekStart)
	require.NoError(t, err)
	driver.RegisterReader(t.Name(), func() io.Reader {
		return &seekable{file, &between{text, func() {
			require.Empty(t, harness.OpenFilesIn(dir))
			harness.Must(t, db, c.ddl)
		}}}
	})
	defer driver.DeregisterReader(t.Name())
	harness.Must(t, db, "LOAD DATA LOCAL INFILE 'Reader::"+t.Name()+"' "+c.load)
	require.Equal(t, fmt.Sprint(replayLines), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
	_, err = file.Seek(0, io.SeekCurrent)
	require.ErrorIs(t, err, os.ErrClosed)
}

// TestLoadDataReplayEnds cancels a load that has a temporary file: nothing of it is left.
func TestLoadDataReplayEnds(t *testing.T) {
	text := replayText()
	for name, c := range replays {
		t.Run(name, func(t *testing.T) {
			db, dir := harness.SpillDB(t, "64MiB")
			harness.Must(t, db, c.create)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			file := readOnce(t, text, func() {
				require.Len(t, harness.OpenFilesIn(dir), 1)
				cancel()
			})
			_, err := db.ExecContext(ctx, "LOAD DATA LOCAL INFILE '"+file+"' "+c.load)
			require.ErrorIs(t, err, context.Canceled)
			harness.RequireNoFiles(t, dir)
			require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
		})
	}
}

// TestLoadDataReplayWithoutFiles: where no temporary file can be made, a large load is run once, which is all that
// most need.
func TestLoadDataReplayWithoutFiles(t *testing.T) {
	text := replayText()
	c := replays["typed"]
	for _, ddl := range []bool{false, true} {
		t.Run(fmt.Sprint(ddl), func(t *testing.T) {
			db, err := sql.Open("hbasekv", "file::memory:?tmpDir="+url.QueryEscape(filepath.Join(t.TempDir(), "missing")))
			require.NoError(t, err)
			defer db.Close()
			harness.Must(t, db, c.create)
			file := readOnce(t, text, func() {
				if ddl {
					harness.Must(t, db, c.ddl)
				}
			})
			_, err = db.Exec("LOAD DATA LOCAL INFILE '" + file + "' " + c.load)
			if ddl {
				harness.RequireErrorNumber(t, 1412, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(replayLines), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
		})
	}
}

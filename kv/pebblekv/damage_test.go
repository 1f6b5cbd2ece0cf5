package pebblekv

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// toDamage makes a store with rows in table files and in the log, to be damaged.
func toDamage(t *testing.T) (*vfs.MemFS, []bruteCell) {
	fs := vfs.NewMem()
	s, err := Open(Options{Dir: "d", FS: fs, Sync: true})
	require.NoError(t, err)
	scheme, err := partition.NewKey(3)
	require.NoError(t, err)
	createTable(t, s, "g", "a", scheme)
	for i := range 200 {
		require.NoError(t, commitRow(t, s, fmt.Sprintf("row%03d", i), 500))
	}
	require.NoError(t, s.Flush(t.Context()))
	for i := range 100 {
		require.NoError(t, commitRow(t, s, fmt.Sprintf("row%03d", 200+i), 500))
	}
	rows := rowsOf(t, s)
	require.NoError(t, s.Close())
	return fs, rows
}

func named(t *testing.T, fs vfs.FS, suffix string) []string {
	names, err := fs.List("d")
	require.NoError(t, err)
	return slices.DeleteFunc(names, func(n string) bool { return !strings.Contains(n, suffix) })
}

func change(t *testing.T, fs vfs.FS, name string, change func([]byte) []byte) {
	t.Helper()
	f, err := fs.Open("d/" + name)
	require.NoError(t, err)
	data, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	out, err := fs.Create("d/"+name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = out.Write(change(data))
	require.NoError(t, err)
	require.NoError(t, out.Close())
}

// look opens the store. It returns the error of opening or of reading all, and the findings
// of CHECK.
func look(t *testing.T, fs vfs.FS) (rows []bruteCell, findings string, err error) {
	s, err := Open(Options{Dir: "d", FS: fs, Sync: true})
	if err != nil {
		return nil, err.Error(), err
	}
	defer s.Close()
	var found []string
	check, err := s.Check(kv.CheckOptions{})
	require.NoError(t, err)
	report, err := check.Table(t.Context(), "d", "g$a")
	require.NoError(t, err)
	rest, err := check.Rest(t.Context())
	require.NoError(t, err)
	require.NoError(t, check.Close())
	for _, d := range append(report.Damage, rest.Damage...) {
		found = append(found, d.Error())
	}
	rows, err = tryRows(t, s)
	return rows, strings.Join(found, "\n"), err
}

func tryRows(t *testing.T, s *Store) ([]bruteCell, error) {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	c, err := tx.Scan(t.Context(), tx.Catalog().Tables("d"), &kv.Scan{NeedValue: true})
	if err != nil {
		return nil, err
	}
	for c.Next() {
		if _, err := c.Value(); err != nil {
			return nil, err
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	require.NoError(t, c.Close())
	return rowsOf(t, s), nil
}

// TestDamagedTable changes bytes anywhere in a table file: reads return correct data or an
// error with the file's name, and CHECK finds each change except in unused bytes at the
// end.
func TestDamagedTable(t *testing.T) {
	r := seed(t)
	for range 40 {
		fs, want := toDamage(t)
		name := named(t, fs, ".sst")[0]
		var at, blocks int
		change(t, fs, name, func(data []byte) []byte {
			at, blocks = r.IntN(len(data)), len(data)*3/4
			data[at] ^= byte(1 + r.IntN(255))
			return data
		})
		rows, findings, err := look(t, fs)
		if at < blocks || err != nil {
			require.Contains(t, findings, name, "byte %d", at)
		}
		if err == nil {
			require.Equal(t, want, rows)
			continue
		}
		require.ErrorIs(t, err, kv.ErrCorrupt, "byte %d", at)
		require.ErrorContains(t, err, name)
	}
}

// TestDamagedLog requires that a truncated log only loses its last commits, and that a
// change inside it is an error, or is taken for the end of the log.
func TestDamagedLog(t *testing.T) {
	r := seed(t)
	for i := range 40 {
		fs, want := toDamage(t)
		name := slices.Max(named(t, fs, ".log"))
		change(t, fs, name, func(data []byte) []byte {
			at := r.IntN(len(data))
			if i%2 == 0 {
				return data[:at]
			}
			data[at] ^= byte(1 + r.IntN(255))
			return data
		})
		rows, findings, err := look(t, fs)
		if err != nil {
			require.ErrorIs(t, err, kv.ErrCorrupt)
			require.ErrorContains(t, err, name)
			continue
		}
		require.Empty(t, findings)
		require.GreaterOrEqual(t, len(rows), 200)
		byRow(want)
		byRow(rows)
		require.Equal(t, want[:len(rows)], rows, "what is left are the first commits")
	}
}

func byRow(cells []bruteCell) {
	slices.SortFunc(cells, func(a, b bruteCell) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// TestMissingFile removes one file after the other: without it, the store opens with all
// data, or the error names it.
func TestMissingFile(t *testing.T) {
	fs, _ := toDamage(t)
	names, err := fs.List("d")
	require.NoError(t, err)
	for i := range names {
		fs, want := toDamage(t)
		now, err := fs.List("d")
		require.NoError(t, err)
		if strings.HasSuffix(now[i], ".log") {
			continue // like a log that was cut off at its start
		}
		require.NoError(t, fs.Remove("d/"+now[i]))
		rows, findings, err := look(t, fs)
		if err == nil {
			require.Empty(t, findings, now[i])
			require.Equal(t, want, rows, now[i])
			continue
		}
		require.ErrorContains(t, err, strings.TrimSuffix(strings.SplitN(now[i], ".00", 2)[0], ".sst"), now[i])
	}
}

// TestDamagedFileIsNamed replaces one file after the other by garbage: the store opens with
// all data, or the error names the file.
func TestDamagedFileIsNamed(t *testing.T) {
	for _, kind := range []string{"OPTIONS-", "MANIFEST-", ".log", ".sst"} {
		for name, garbage := range map[string]func([]byte) []byte{
			"empty":   func([]byte) []byte { return nil },
			"half":    func(data []byte) []byte { return data[:len(data)/2] },
			"garbage": func(data []byte) []byte { return []byte(strings.Repeat("garbage ", 1+len(data)/8)) },
			"middle": func(data []byte) []byte {
				copy(data[len(data)/3:], "\x00\xffgarbage")
				return data
			},
		} {
			t.Run(kind+name, func(t *testing.T) {
				fs, want := toDamage(t)
				file := named(t, fs, kind)[0]
				change(t, fs, file, garbage)
				rows, _, err := look(t, fs)
				if err != nil {
					t.Log(err)
					require.ErrorContains(t, err, strings.TrimSuffix(file, ".sst"))
				} else if kind == "OPTIONS-" {
					require.Equal(t, want, rows)
				}
			})
		}
	}
}

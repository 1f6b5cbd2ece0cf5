package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/fileformat"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/load"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/shell"
)

// cutPlaces is the number of places at which each input is cut.
const cutPlaces = 200

// aCutInput is an input of load.
type aCutInput struct {
	name string
	data []byte
	load load.Command // its flags
	// whole is false for a part that is recognizably incomplete: such a part must be an error.
	// If it is nil, every part is recognizable.
	whole func(part []byte) bool
}

// wholeLinesOf: a text of lines may end after any line.
func wholeLinesOf(part []byte) bool { return bytes.HasSuffix(part, []byte("\n")) }

// wholeObjects: the last of several JSON lines may lack its line end.
func wholeObjects(part []byte) bool {
	return wholeLinesOf(part) || json.Valid(part[bytes.LastIndexByte(part, '\n')+1:])
}

// exportedInputs are the files that export writes from a store, and other inputs of load.
func exportedInputs(t *testing.T) (inputs []aCutInput) {
	dir := t.TempDir()
	fill(t, filepath.Join(dir, "store"), 7, 40, 60)
	out, err := command(dir, "sql", "store?versions=all", "-e",
		"DELETE FROM g$a WHERE V IS NULL; DELETE FROM g$b WHERE V IS NULL").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for name, whole := range map[string]func([]byte) bool{
		"csv": wholeLinesOf, "tsv": wholeLinesOf, "txt": wholeLinesOf, "jsonl": wholeObjects,
		"scan": nil, "parquet": nil, "csv.gz": nil, "jsonl.gz": nil, "tsv.zst": nil, "scan.zst": nil, "parquet.zst": nil,
	} {
		out, err := command(dir, "export", "store", "g", "cells."+name).CombinedOutput()
		require.NoError(t, err, "%s", out)
		data, err := os.ReadFile(filepath.Join(dir, "cells."+name))
		require.NoError(t, err)
		plain, _ := fileformat.CompressionOf(name)
		inputs = append(inputs, aCutInput{name: name, data: data, load: load.Command{Format: plain}, whole: whole})
		if plain == "txt" {
			inputs[len(inputs)-1].load.Format = "text"
		}
	}
	lines := strings.Repeat("key,\"quoted, \"\"twice\"\"\nand long\",plain\n", 10)
	columns := load.Command{Columns: "HBASE_ROW_KEY,a:x,b:y", Layout: "ms"}
	inputs = append(inputs, aCutInput{"columns", []byte(lines), columns, func(part []byte) bool {
		return wholeLinesOf(part) && !bytes.HasSuffix(part, []byte("twice\"\"\n"))
	}})
	columns.Separator = "\t"
	inputs = append(inputs, aCutInput{"columns by tabs", bytes.Repeat([]byte("key\tx\ty\n"), 30), columns, wholeLinesOf})
	return inputs
}

// TestCutOffInputs: nothing is loaded from an input that ends too early, and this is an
// error whenever its format shows it.
func TestCutOffInputs(t *testing.T) {
	t.Parallel()
	db, err := sql.Open(driver.Name, ":memory:?multiStatements=true&versions=all")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(groupSQL)
	require.NoError(t, err)
	count := func() (n int) {
		require.NoError(t, db.QueryRow("SELECT (SELECT COUNT(*) FROM g$a) + (SELECT COUNT(*) FROM g$b)").Scan(&n))
		return n
	}
	for _, each := range exportedInputs(t) {
		t.Run(each.name, func(t *testing.T) {
			load := func(part []byte) (cells int, err error) {
				c := each.load
				c.Progress, c.Out, c.Err, c.Options = "none", io.Discard, io.Discard, load.Options{Bulk: true}
				in, err := load.OpenInput("-", bytes.NewReader(part))
				require.NoError(t, err)
				err = c.LoadInto(t.Context(), db, "g", in)
				cells = count()
				_, deleting := db.Exec("DELETE FROM g$a; DELETE FROM g$b")
				require.NoError(t, deleting)
				return cells, err
			}
			all, err := load(each.data)
			require.NoError(t, err)
			require.Positive(t, all)
			stopped := 0
			for i := range cutPlaces {
				behind := len(each.data) * i / cutPlaces
				part := each.data[:behind]
				cells, err := load(part)
				switch {
				case err != nil:
					stopped++
					require.Zero(t, cells, "cut behind %d of %d bytes", behind, len(each.data))
				case behind == 0: // an empty file of cells is complete, too
					require.Zero(t, cells)
				case each.whole == nil:
					require.Equal(t, all, cells, "cut behind %d of %d bytes", behind, len(each.data))
				default:
					require.True(t, each.whole(part), "cut behind %d of %d bytes: %q", behind, len(each.data),
						part[max(0, behind-40):])
				}
			}
			require.Greater(t, stopped, cutPlaces/2)
		})
	}
}

// TestCutOffScripts: a statement that was cut off is not run, and a script that announces its
// last line is an error without it. What precedes has been run.
func TestCutOffScripts(t *testing.T) {
	dir := t.TempDir()
	fill(t, filepath.Join(dir, "store"), 7, 40, 60)
	out, err := command(dir, "export", "store", "g", "g.sql").CombinedOutput()
	require.NoError(t, err, "%s", out)
	dump, err := os.ReadFile(filepath.Join(dir, "g.sql"))
	require.NoError(t, err)
	db, err := sql.Open(driver.Name, ":memory:?multiStatements=true&versions=all")
	require.NoError(t, err)
	defer db.Close()
	const table = "CREATE TABLE g$a (K varbinary(64), Q varbinary(64), T bigint, V longblob, PRIMARY KEY (K, Q, T));\n"
	for name, script := range map[string]string{
		"an export": string(dump),
		"statements": table +
			"INSERT INTO g$a VALUES ('a', 'q', 1, 'it''s; \"x\"'), ('a', 'r', 1, 'y'); -- a comment;\n" +
			"DELETE FROM g$a\n WHERE K = 'a' AND Q = 'q' /* and no other; */;\nUPDATE g$a SET V = 'x' WHERE K = 'a' AND Q = 'r';",
	} {
		t.Run(name, func(t *testing.T) {
			whole := map[string]bool{"": true} // the rows after each statement
			stream := func(script string) (rows string, err error) {
				conn, err := db.Conn(t.Context())
				require.NoError(t, err)
				defer conn.Close()
				c := &shell.Command{Format: "tsv", Out: io.Discard, Err: io.Discard}
				err = c.Stream(t.Context(), conn, strings.NewReader(script))
				for _, table := range []string{"g$a", "g$b"} {
					var row sql.NullString
					_ = db.QueryRow("SELECT GROUP_CONCAT(CONCAT(HEX(K), HEX(Q), T, HEX(COALESCE(V, '-')))) FROM " + table).
						Scan(&row) // or there is no row
					rows += row.String
				}
				_, dropping := db.Exec("DROP TABLE IF EXISTS g$a, g$b")
				require.NoError(t, dropping)
				return rows, err
			}
			all, err := stream(script)
			require.NoError(t, err)
			statements, err := driver.SplitScript(script)
			require.NoError(t, err)
			for _, s := range statements {
				rows, _ := stream(script[:s.Offset+len(s.Text)] + ";")
				whole[rows] = true
			}
			require.True(t, whole[all])
			for i := range cutPlaces {
				behind := len(script) * i / cutPlaces
				rows, err := stream(script[:behind])
				require.True(t, whole[rows], "cut behind %d of %d bytes", behind, len(script))
				if name == "an export" && behind > 200 {
					require.Error(t, err)
				}
			}
		})
	}
}

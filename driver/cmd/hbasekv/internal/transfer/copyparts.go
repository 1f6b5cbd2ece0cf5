package transfer

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// copyState is the state of a copy, which is kept in a file.
type copyState struct {
	From, To, Name, View string
	Parts                []*copyPart

	path    string
	resumed bool
	mu      sync.Mutex // guards Parts while they are copied
}

// copyPart is the rows of one partition of a table: those between two keys, or those
// of a partition by its name.
type copyPart struct {
	Table      string
	Partition  string `json:",omitempty"`
	Start, End []byte // End is open if it is nil
	Behind     []byte // the last row that was copied, nil for none
	Done       bool
	Cells      int64
	Digest     digest
}

// openCopyState reads the state of an earlier run, or begins a new one.
func openCopyState(path, name string, now *copyState) (*copyState, error) {
	if path == "" {
		path = strings.ReplaceAll(name, string(os.PathSeparator), "_") + ".copy"
	}
	now.path = path
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return now, nil
	}
	var before copyState
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil {
		return nil, fmt.Errorf("the state of an earlier copy: %w", err)
	}
	if before.From != now.From || before.To != now.To || before.Name != now.Name || before.View != now.View {
		return nil, fmt.Errorf("%s is the state of another copy, of %s from %s to %s: remove it, or give another file with --state",
			path, before.Name, before.From, before.To)
	}
	now.Parts, now.resumed = before.Parts, true
	return now, nil
}

// save writes the state atomically.
func (s *copyState) save() error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}

func (s *copyState) remove() error {
	if err := os.Remove(s.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// change changes a part, and saves.
func (s *copyState) change(fn func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
	return s.save()
}

func (s *copyState) done() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.Parts {
		if p.Done {
			n++
		}
	}
	return n
}

func (s *copyState) cells() (n int64) {
	for _, p := range s.Parts {
		n += p.Cells
	}
	return n
}

// each calls fn for the parts that are not done, several at once, until an error.
func (s *copyState) each(parallel int, fn func(*copyPart) error) error {
	return eachAtOnce(parallel, slices.DeleteFunc(slices.Clone(s.Parts), func(p *copyPart) bool { return p.Done }), fn)
}

// eachAtOnce calls fn for each, several at once, until an error.
func eachAtOnce[T any](parallel int, all []T, fn func(T) error) error {
	var group sync.WaitGroup
	var mu sync.Mutex
	var failed error
	next := func() (one T, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || len(all) == 0 {
			return one, false
		}
		one, all = all[0], all[1:]
		return one, true
	}
	for range min(parallel, len(all)) {
		group.Go(func() {
			for one, ok := next(); ok; one, ok = next() {
				if err := fn(one); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return failed
}

// partsOf divides a table by its partitions: by their bounds, which remain when
// a region is split or moved, or else by their names.
func partsOf(ctx context.Context, db *sql.DB, table string) (parts []*copyPart, err error) {
	database, own, _ := cli.SplitName(table)
	var start []byte
	err = cli.EachRow(ctx, db, func(field []sql.NullString) error {
		p := &copyPart{Table: table}
		switch method, bound := field[0].String, field[2]; {
		case !field[1].Valid:
		case method == "RANGE COLUMNS":
			p.Start = start
			if bound.String != "MAXVALUE" {
				if err := db.QueryRowContext(ctx, "SELECT "+bound.String).Scan(&p.End); err != nil {
					return err
				}
			}
			start = p.End
		default:
			p.Partition = field[1].String
		}
		if n := len(parts); p.Partition == "" || n == 0 || parts[n-1].Partition != p.Partition { // it may have subpartitions
			parts = append(parts, p)
		}
		return nil
	}, `SELECT PARTITION_METHOD, PARTITION_NAME, PARTITION_DESCRIPTION FROM information_schema.PARTITIONS
		WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ? ORDER BY PARTITION_ORDINAL_POSITION`, database, own)
	if len(parts) == 0 {
		parts = []*copyPart{{Table: table}}
	}
	return parts, err
}

// query is a SELECT of the part's cells after those that were copied.
func (p *copyPart) query(hint, suffix string) (text string, args []any) {
	text = "SELECT " + hint + "K, Q, T, V FROM " + cli.QuoteName(p.Table)
	if p.Partition != "" {
		text += " PARTITION (" + cli.QuoteName(p.Partition) + ")"
	}
	text += suffix
	and := " WHERE "
	bound := func(op string, row []byte) {
		if row != nil {
			text, args, and = text+and+"K "+op+" ?", append(args, row), " AND "
		}
	}
	bound(">=", p.Start)
	bound("<", p.End)
	bound(">", p.Behind)
	return text + " ORDER BY K, Q, T DESC", args
}

// partBytes ends a load of the destination, at the end of a row.
const partBytes = 64 << 20

// copyPart copies a part in several loads.
func (c *copier) copyPart(ctx context.Context, p *copyPart) error {
	hint, suffix := c.hint()
	text, args := p.query(hint, suffix)
	rows, err := c.from.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	in := &cellRows{rows: rows, digester: newDigester()}
	_, own, _ := cli.SplitName(p.Table)
	for !in.over {
		var loaded copyPart
		_, err := driver.BulkLoad(ctx, c.to, []string{own}, func(yield func(driver.Cell, error) bool) { in.load(c, &loaded, yield) })
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := c.state.change(func() {
			p.Cells += loaded.Cells
			p.Digest.add(loaded.Digest)
			p.Done = in.over
			if loaded.Behind != nil {
				p.Behind = loaded.Behind
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// cellRows are the rows of a part.
type cellRows struct {
	rows     *sql.Rows
	digester *digester
	k, q, v  sql.RawBytes
	t        int64
	kept     bool // the current row has not been loaded
	over     bool
}

// load yields cells up to the end of a row after partBytes bytes, and records them
// in loaded.
func (r *cellRows) load(c *copier, loaded *copyPart, yield func(driver.Cell, error) bool) {
	var row []byte
	for n := 0; ; {
		if !r.kept && !r.rows.Next() {
			r.over = r.rows.Err() == nil
			if !r.over {
				yield(driver.Cell{}, r.rows.Err())
			}
			break
		}
		if !r.kept {
			if err := r.rows.Scan(&r.k, &r.q, &r.t, &r.v); err != nil {
				yield(driver.Cell{}, err)
				return
			}
		}
		if r.kept = n >= partBytes && !bytes.Equal(row, r.k); r.kept {
			break
		}
		if !bytes.Equal(row, r.k) || row == nil {
			row = append(row[:0], r.k...)
		}
		loaded.Digest.add(r.digester.of(r.k, r.q, r.t, r.v))
		loaded.Cells++
		n += len(r.k) + len(r.q) + len(r.v)
		if !yield(driver.Cell{K: r.k, Q: r.q, T: r.t, V: r.v}, nil) {
			return
		}
		if total := c.copied.Add(1); c.bar != nil && total%cli.ProgressLines == 0 {
			_ = c.bar.Set64(total)
		}
	}
	loaded.Behind = row
}

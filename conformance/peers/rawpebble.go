package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// cacheSize is the cache size of each contender, in bytes.
var cacheSize int64 = 512 << 20

// openPebble opens Pebble itself, without SQL, versions or transactions: the
// limit for a store on top of it.
func openPebble(dir string, durable bool) (store, error) {
	opts := &pebble.Options{Logger: quiet{}, MemTableSize: 64 << 20, FormatMajorVersion: pebble.FormatNewest}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	opts.Cache = cache
	// Blocks and files are as in hbasekv.
	opts.TargetFileSizes = [...]int64{2 << 20, 16 << 20, 32 << 20, 64 << 20, 64 << 20, 64 << 20, 64 << 20}
	for i := range opts.Levels {
		opts.Levels[i].BlockSize = 8 << 10
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		opts.Levels[i].FilterType = sstable.TableFilter
	}
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, err
	}
	sync := pebble.NoSync
	if durable {
		sync = pebble.Sync
	}
	opts.EnsureDefaults()
	return &rawStore{db: db, dir: dir, opts: opts, sync: sync}, nil
}

// quiet drops Pebble's log messages.
type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

type rawStore struct {
	db       *pebble.DB
	dir      string
	opts     *pebble.Options
	sync     *pebble.WriteOptions
	updating sync.Mutex
	files    int // built to be ingested
}

func (s *rawStore) create(table) error { return nil }
func (s *rawStore) connect() session   { return &rawSession{store: s} }
func (s *rawStore) close() error       { return s.db.Close() }

func (s *rawStore) settle(t table) error {
	if err := s.db.Flush(); err != nil {
		return err
	}
	return s.db.Compact(context.Background(), rawPrefix(nil, t.name), append([]byte(t.name), 1), false)
}

// A raw key is the table, K, Q, each followed by a zero byte, and T descending.
func rawPrefix(buf []byte, table string) []byte { return append(append(buf, table...), 0) }

func rawColumn(buf []byte, table string, k, q []byte) []byte {
	buf = append(rawPrefix(buf, table), k...)
	return append(append(append(buf, 0), q...), 0)
}

func rawKey(buf []byte, table string, c cell) []byte {
	return binary.BigEndian.AppendUint64(rawColumn(buf, table, c.k, c.q), ^(uint64(c.t) ^ 1<<63))
}

// rawCell decodes a key.
func rawCell(key []byte, skip int) cell {
	stamp := len(key) - 8
	key, t := key[skip:stamp-1], int64(^binary.BigEndian.Uint64(key[stamp:])^1<<63)
	end := bytes.IndexByte(key, 0)
	return cell{k: key[:end], q: key[end+1:], t: t}
}

type rawSession struct {
	store   *rawStore
	batch   *pebble.Batch
	holding bool
	key     []byte
}

// bounds returns the keys between which a scan reads. Those of one row all have
// its key and a zero byte as prefix, those of one column also its qualifier and
// a zero byte.
func (s scan) bounds(table string) (lower, upper []byte) {
	lower = append(rawPrefix(nil, table), s.from...)
	switch {
	case s.to == nil:
		return lower, append([]byte(table), 1)
	case !bytes.Equal(s.to, after(s.from)):
		return lower, append(rawPrefix(nil, table), s.to...)
	case s.qualifier != nil:
		lower = rawColumn(nil, table, s.from, s.qualifier)
	default:
		lower = append(lower, 0)
	}
	upper = bytes.Clone(lower)
	upper[len(upper)-1] = 1
	return lower, upper
}

// read scans; if only the newest versions are needed, it seeks past a column
// when the next step does not leave it.
func (s *rawSession) read(_ context.Context, r *reading, what scan, to *sink) error {
	f := what.folder(to)
	defer f.finish()
	return s.readInto(f, r, what)
}

func (s *rawSession) readInto(f *folder, r *reading, what scan) error {
	if r.name == "locked" {
		s.store.updating.Lock()
		s.holding = true
	}
	lower, upper := what.bounds(r.table)
	it, err := s.store.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return err
	}
	defer it.Close()
	if err := s.walk(it, len(r.table)+1, what, f); err != nil {
		return err
	}
	return it.Error()
}

func (s *rawSession) walk(it *pebble.Iterator, skip int, what scan, f *folder) (err error) {
	for ok := it.First(); ok; {
		c := rawCell(it.Key(), skip)
		switch {
		case what.until != 0 && c.t >= what.until && what.latest:
			s.key = binary.BigEndian.AppendUint64(append(s.key[:0], it.Key()[:len(it.Key())-8]...), ^(uint64(what.until-1) ^ 1<<63))
			ok = it.SeekGE(s.key)
			continue
		case !what.wants(c.q, c.t):
			ok = it.Next()
			continue
		}
		if what.fold != total && what.fold != groups {
			if c.v, err = it.ValueAndErr(); err != nil {
				return err
			}
		}
		if !f.add(c) {
			break
		}
		ok = s.next(it, what.latest)
	}
	return nil
}

// next steps to the next version, or seeks to the next column.
func (s *rawSession) next(it *pebble.Iterator, latest bool) bool {
	if !latest {
		return it.Next()
	}
	s.key = append(s.key[:0], it.Key()[:len(it.Key())-8]...)
	s.key[len(s.key)-1] = 1
	return it.Next() && (bytes.Compare(it.Key(), s.key) > 0 || it.SeekGE(s.key))
}

func (s *rawSession) write(w *writing, table string, cells ...cell) error {
	if w == updateCell || w == increment {
		return s.update(w, table, cells[0])
	}
	batch := s.batch
	if batch == nil {
		batch = s.store.db.NewBatch()
		defer batch.Close()
	}
	for _, c := range cells {
		s.key = rawKey(s.key[:0], table, c)
		if err := batch.Set(s.key, c.v, nil); err != nil {
			return err
		}
	}
	if s.batch != nil {
		return nil
	}
	return batch.Commit(s.store.sync)
}

// update overwrites the newest version of a column.
func (s *rawSession) update(w *writing, table string, c cell) error {
	if !s.holding {
		s.store.updating.Lock()
		defer s.store.updating.Unlock()
	}
	what := scan{from: c.k, to: after(c.k), qualifier: c.q}
	lower, upper := what.bounds(table)
	it, err := s.store.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return err
	}
	defer it.Close()
	if !it.First() {
		return fmt.Errorf("no cell %s %s: %w", c.k, c.q, it.Error())
	}
	if w == increment {
		n, err := strconv.ParseInt(string(it.Value()), 10, 64)
		if err != nil {
			return err
		}
		c.v = strconv.AppendInt(nil, n+1, 10)
	}
	if s.batch != nil {
		return s.batch.Set(it.Key(), c.v, nil)
	}
	return s.store.db.Set(it.Key(), c.v, s.store.sync)
}

// begin starts a batch of inserts.
func (s *rawSession) begin() error {
	s.batch = s.store.db.NewBatch()
	return nil
}

func (s *rawSession) commit() error {
	batch := s.batch
	s.batch = nil
	if s.holding {
		s.holding = false
		defer s.store.updating.Unlock()
	}
	return batch.Commit(s.store.sync)
}

func (s *rawSession) close() error { return nil }

// after returns the least key after k.
func after(k []byte) []byte { return append(k[:len(k):len(k)], 0) }

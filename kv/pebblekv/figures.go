package pebblekv

import (
	"bytes"
	"context"
	"strconv"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

var _ kv.Measured = (*Store)(nil)

// Figures implements kv.Measured.
func (s *Store) Figures(ctx context.Context) ([]kv.Figure, error) {
	if err := (door{s}).Enter(); err != nil {
		return nil, err
	}
	defer door{s}.Exit()
	out := append(figuresOf(s.db.Metrics()), figure("format", "The version of the store's format.", s.format))
	out = append(out, s.transactionFigures()...)
	out = append(out, s.collections.figures()...)
	return s.partitionFigures(ctx, out)
}

func figure[N int | int64 | uint64 | float64](name, help string, n N, labels ...kv.FigureLabel) kv.Figure {
	return kv.Figure{Name: name, Help: help, Value: float64(n), Labels: labels}
}

// figuresOf returns Pebble's figures.
func figuresOf(m *pebble.Metrics) []kv.Figure {
	out := []kv.Figure{
		figure("block_cache_hits_total", "Blocks that were found in the cache.", m.BlockCache.Hits),
		figure("block_cache_misses_total", "Blocks that were read from files.", m.BlockCache.Misses),
		figure("block_cache_bytes", "Blocks that are in the cache.", m.BlockCache.Size),
		figure("compactions_total", "Compactions that ended.", m.Compact.Count),
		figure("compactions_running", "Compactions under way.", m.Compact.NumInProgress),
		figure("compaction_seconds_total", "Time that compactions took.", m.Compact.Duration.Seconds()),
		figure("compaction_debt_bytes", "What compactions have still to rewrite, estimated.", m.Compact.EstimatedDebt),
		figure("flushes_total", "Flushes of memory to files.", m.Flush.Count),
		figure("memtable_bytes", "What is in memory and not in files yet.", m.MemTable.Size),
		figure("log_written_bytes_total", "Bytes written to the log.", m.WAL.BytesWritten),
		figure("log_bytes", "Logs that a start would read.", m.WAL.Size),
		figure("disk_bytes", "All files.", m.DiskSpaceUsage()),
	}
	for level := range m.Levels {
		l, at := &m.Levels[level], kv.FigureLabel{Name: "level", Value: strconv.Itoa(level)}
		out = append(out,
			figure("level_files", "Files of cells, by level.", l.TablesCount, at),
			figure("level_bytes", "Size of the files of cells, by level.", l.TablesSize, at),
			figure("level_written_bytes_total", "Bytes written to files of cells by flushes and compactions, by level.",
				l.TableBytesFlushed+l.TableBytesCompacted, at))
	}
	return out
}

func (s *Store) transactionFigures() []kv.Figure {
	locks := s.txns.Locks.Counts()
	return []kv.Figure{
		figure("commits_total", "Transactions that were written.", s.txns.Committed.Load()),
		figure("conflicts_total", "Rows and reads that a faster transaction had changed.", s.txns.Conflicts.Load()),
		figure("row_lock_waits_total", "Waits for row locks that ended.", locks.Waits),
		figure("row_lock_wait_seconds_total", "Time of the waits for row locks that ended.", locks.Waited.Seconds()),
		figure("row_lock_timeouts_total", "Waits for row locks that took too long.", locks.Timeouts),
		figure("deadlocks_total", "Row locks that would have closed a circle.", locks.Deadlocks),
		figure("row_locks", "Rows that are locked.", s.txns.Locks.Held()),
		figure("iterators", "Iterators that are open.", s.OpenIterators()),
	}
}

func (cs *collections) figures() []kv.Figure {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var all kv.Collected
	for _, c := range cs.done {
		all = all.Plus(c)
	}
	return []kv.Figure{
		figure("collections_running", "Collections of what retention hides that are under way.", len(cs.running)),
		figure("collected_versions_total", "Versions that retention hid and were removed one by one.", all.Versions),
		figure("collected_ranges_total", "Ranges of keys that retention hid and were removed at once.", all.Ranges),
		figure("collected_partitions_total", "Partitions by time that had expired and were dropped.", all.Partitions),
	}
}

// maxPartitionFigures is the most partitions, or tables, that have figures of
// their own.
const maxPartitionFigures = 256

// partitionFigures appends the sizes of files by partition; by table if there
// are many partitions, and none if there are many tables.
func (s *Store) partitionFigures(ctx context.Context, out []kv.Figure) ([]kv.Figure, error) {
	tables, leaves := s.tables()
	named := 0 // the others are indexes
	for _, t := range tables {
		if t.IndexOf == 0 {
			named++
		}
	}
	out = append(out, figure("tables", "Tables.", named), figure("partitions", "Partitions of all tables.", leaves))
	if len(tables) > maxPartitionFigures {
		return out, nil
	}
	levels, err := s.db.SSTables()
	if err != nil {
		return out, faultfs.DiskError(err)
	}
	for _, t := range tables {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		sizes, err := s.leafSizes(t, levels)
		if err != nil {
			return out, err
		}
		if leaves > maxPartitionFigures {
			sizes = []leafSize{sum(sizes)}
		}
		for _, l := range sizes {
			labels := []kv.FigureLabel{{Name: "database", Value: t.Database}, {Name: "table", Value: s.catalog().Title(t)},
				{Name: "partition", Value: l.name}}
			out = append(out,
				figure("partition_bytes", "Size of the files of cells, by partition, estimated.", l.bytes, labels...),
				figure("partition_files", "Files that have cells of the partition.", l.files, labels...))
		}
	}
	return out, nil
}

// tables returns all tables, and the number of their leaves.
func (s *Store) tables() (tables []*kv.Table, leaves int) {
	catalog := s.catalog()
	for _, d := range catalog.Databases() {
		for _, t := range catalog.AllTables(d.Name) {
			tables = append(tables, t)
			leaves += t.Partitioning.NumLeaves()
		}
	}
	return tables, leaves
}

// leafSize is the size of a partition, or of a whole table if its name is empty.
type leafSize struct {
	name  string
	bytes uint64
	files int
}

func sum(all []leafSize) (out leafSize) {
	for _, l := range all {
		out.bytes += l.bytes
		out.files += l.files
	}
	return out
}

func (s *Store) leafSizes(t *kv.Table, levels [][]pebble.SSTableInfo) ([]leafSize, error) {
	out := make([]leafSize, t.Partitioning.NumLeaves())
	for leaf := range out {
		out[leaf].name = t.Partitioning.LeafName(leaf)
		lower, upper := cellkey.Extent(keyspace.ExtentOf(t, leaf))
		if bytes.Compare(lower, upper) >= 0 {
			continue
		}
		var err error
		if out[leaf].bytes, err = s.db.EstimateDiskUsage(lower, upper); err != nil {
			return nil, faultfs.DiskError(err)
		}
		for _, level := range levels {
			for _, f := range level {
				if bytes.Compare(f.Largest.UserKey, lower) >= 0 && bytes.Compare(f.Smallest.UserKey, upper) < 0 {
					out[leaf].files++
				}
			}
		}
	}
	return out, nil
}

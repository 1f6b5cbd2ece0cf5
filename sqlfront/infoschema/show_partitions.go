package infoschema

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// usage is the contents and the load of one partition.
type usage struct {
	kv.PartitionStats
	load *kv.PartitionLoad // nil if the store does not count
}

// usages are the usages of the leaves of a table's partitioning.
func (r *infoReader) usages(t *kv.Table) []usage {
	out := make([]usage, t.Partitioning.NumLeaves())
	for i, s := range r.sizes(t) {
		out[i].PartitionStats = s
	}
	if reader, ok := r.store.(kv.LoadReader); ok && schema.HasCells(t) {
		for i, l := range reader.TableLoads(t) {
			out[i].load = &l
		}
	}
	return out
}

func (u *usage) add(o usage) {
	u.Cells += o.Cells
	u.Bytes += o.Bytes
	u.Estimated = u.Estimated || o.Estimated
	if o.MinRow != nil && (u.MinRow == nil || bytes.Compare(o.MinRow, u.MinRow) < 0) {
		u.MinRow = o.MinRow
	}
	if o.MaxRow != nil && (u.MaxRow == nil || bytes.Compare(o.MaxRow, u.MaxRow) > 0) {
		u.MaxRow = o.MaxRow
	}
	if u.load != nil && o.load != nil {
		u.load.Reads += o.load.Reads
		u.load.Writes += o.load.Writes
	}
}

// keys and loads are the figures that the catalog shows; keys are NULL for accounts that must not see them.
func (u *usage) keys(shown bool) (first, last value.Value) {
	if !shown {
		return value.Value{}, value.Value{}
	}
	return bytesOrNull(u.MinRow), bytesOrNull(u.MaxRow)
}

func (u *usage) loads() (reads, writes value.Value) {
	if u.load == nil {
		return value.Value{}, value.Value{}
	}
	return value.NewUint(uint64(u.load.Reads)), value.NewUint(uint64(u.load.Writes))
}

// comment says which server has the partition, and whether the figures are estimated.
func (u *usage) comment() string {
	var parts []string
	if u.Server != "" {
		parts = append(parts, "on "+u.Server)
	}
	if u.Estimated {
		parts = append(parts, estimated)
	}
	return strings.Join(parts, "; ")
}

func bytesOrNull(b []byte) value.Value {
	if b == nil {
		return value.Value{}
	}
	return value.NewBytes(b)
}

// partitionColumns are the columns of SHOW PARTITIONS.
var partitionColumns = []relation.Column{
	{Name: "Partition", Type: value.Type{Kind: value.Text, Nullable: true, Length: 3 * 64}},
	{Name: "Less_than", Type: value.Type{Kind: value.Text, Nullable: true}},
	{Name: "Rows", Type: value.Type{Kind: value.Uint}},
	{Name: "Bytes", Type: value.Type{Kind: value.Uint}},
	{Name: "Min_key", Type: value.Type{Kind: value.Bytes, Nullable: true}},
	{Name: "Max_key", Type: value.Type{Kind: value.Bytes, Nullable: true}},
	{Name: "Read_count", Type: value.Type{Kind: value.Uint, Nullable: true}},
	{Name: "Write_count", Type: value.Type{Kind: value.Uint, Nullable: true}},
	{Name: "Share", Type: value.Type{Kind: value.Float, Nullable: true}},
	{Name: "Comment", Type: value.Type{Kind: value.Text}},
}

// partitions is SHOW PARTITIONS FROM a table or a table group: what each partition, or each subpartition,
// contains, its bytes relative to the mean, and its reads and writes. Those of a group are the sums over its
// families.
func (s *show) partitions() (*relation.Result, error) {
	r, err := s.relation()
	if err != nil {
		return nil, err
	}
	tables := r.families
	if r.table != nil {
		tables = []*kv.Table{r.table}
	}
	if len(tables) == 0 {
		return nil, mysqlerr.NotTable(r.database, r.name)
	}
	reader := &infoReader{Context: s.Context, Information: s.Information}
	sums := reader.usages(tables[0])
	for _, t := range tables[1:] {
		for i, u := range reader.usages(t) {
			sums[i].add(u)
		}
	}
	return s.partitionRows(tables, sums), reader.err
}

// hot is how many times the mean a partition's reads or writes must be for it to be reported, among at least
// hotFrom partitions, and with this total.
const (
	hot      = 2.0
	hotFrom  = 3
	hotTotal = 1000
)

// heat reports a partition that is read or written far more than the others.
func heat(what string, of int64, sum int64, partitions int) string {
	times := float64(of) * float64(partitions) / float64(max(sum, 1))
	if partitions < hotFrom || sum < hotTotal || times < hot {
		return ""
	}
	return fmt.Sprintf("hot: %.1f times the mean of the %s", times, what)
}

// remarks are the comments on the partitions.
func remarks(sums []usage) []string {
	var total kv.PartitionLoad
	for _, u := range sums {
		if u.load != nil {
			total.Reads += u.load.Reads
			total.Writes += u.load.Writes
		}
	}
	out := make([]string, len(sums))
	for i, u := range sums {
		parts := []string{u.comment()}
		if u.load != nil {
			parts = append(parts, heat("reads", u.load.Reads, total.Reads, len(sums)), heat("writes", u.load.Writes, total.Writes, len(sums)))
		}
		out[i] = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
	}
	return out
}

// partitionRows are the rows for tables with the same partitioning.
func (s *show) partitionRows(tables []*kv.Table, sums []usage) *relation.Result {
	t, out := tables[0], &relation.Result{Columns: partitionColumns}
	outer, below := s.levelTexts(s.Authority, t)
	keys := !slices.ContainsFunc(tables, func(t *kv.Table) bool { return !mayReadKeys(s.Authority, t) })
	var total int64
	for _, u := range sums {
		total += u.Bytes
	}
	comments := remarks(sums)
	for i, u := range sums {
		var name, bound, share value.Value
		if t.Partitioning.Partitioned() {
			name = value.NewString(t.Partitioning.LeafName(i))
		}
		if text := leafBounds(t, outer, below, i); text != "" {
			bound = value.NewString(text)
		}
		if total > 0 {
			share = value.NewFloatScale(math.Round(float64(u.Bytes)*float64(len(sums))/float64(total)*100)/100, 2)
		}
		first, last := u.keys(keys)
		reads, writes := u.loads()
		out.Rows = append(out.Rows, []value.Value{name, bound, value.NewUint(uint64(u.Cells)), value.NewUint(uint64(u.Bytes)),
			first, last, reads, writes, share, value.NewString(comments[i])})
	}
	return out
}

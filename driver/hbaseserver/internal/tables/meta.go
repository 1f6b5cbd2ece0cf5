package tables

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// metaRow is a row of hbase:meta: a region's, or a table's with its state.
type metaRow struct {
	key    []byte
	region *Region // nil for a table's row
	table  *Table
}

// metaRows returns all rows in order.
func (v *View) metaRows() (out []*metaRow) {
	for _, t := range v.ordered {
		out = append(out, &metaRow{key: []byte(t.Name.String()), table: t})
		for _, r := range t.Regions {
			out = append(out, &metaRow{[]byte(r.Name), r, t})
		}
	}
	slices.SortFunc(out, func(a, b *metaRow) int { return compareMeta(a.key, b.key) })
	return out
}

// compareMeta is the order of hbase:meta's rows: by table, then by start key, then by ID.
func compareMeta(a, b []byte) int {
	left, right := splitMeta(a), splitMeta(b)
	for i := range left {
		if c := bytes.Compare(left[i], right[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(bytes.Count(a, []byte{','}), bytes.Count(b, []byte{','}))
}

// splitMeta splits a row key into table, start key and ID; a missing part is empty.
func splitMeta(row []byte) (out [3][]byte) {
	first, last := bytes.IndexByte(row, ','), bytes.LastIndexByte(row, ',')
	switch {
	case first < 0:
		out[0] = row
	case first == last:
		out[0], out[1] = row[:first], row[first+1:]
	default:
		out[0], out[1], out[2] = row[:first], row[first+1:last], row[last+1:]
	}
	return out
}

// Server is the server that has all regions.
type Server struct {
	Host string
	Port int
	// Start is when it was started, in ms.
	Start uint64
}

// Address is host:port.
func (s Server) Address() string { return s.Host + ":" + strconv.Itoa(s.Port) }

// The families of hbase:meta.
const (
	metaInfo  = "info"
	metaTable = "table"
)

// pbuf begins messages that are stored.
const pbuf = "PBUF"

// cells returns the cells of a row in order.
func (r *metaRow) cells(s Server) []rowapi.Cell {
	if r.region == nil {
		return []rowapi.Cell{r.cell(metaTable, "state", []byte{8, stateOf(r.table)})}
	}
	info, err := proto.Marshal(r.region.Info())
	if err != nil {
		panic(err) // all required fields are set
	}
	name := fmt.Sprintf("%s,%d,%d", s.Host, s.Port, s.Start)
	return []rowapi.Cell{
		r.cell(metaInfo, "regioninfo", append([]byte(pbuf), info...)),
		r.cell(metaInfo, "seqnumDuringOpen", binary.BigEndian.AppendUint64(nil, 2)),
		r.cell(metaInfo, "server", []byte(s.Address())),
		r.cell(metaInfo, "serverstartcode", binary.BigEndian.AppendUint64(nil, s.Start)),
		r.cell(metaInfo, "sn", []byte(name)),
		r.cell(metaInfo, "state", []byte(regionState(r.table))),
	}
}

func (r *metaRow) cell(family, qualifier string, value []byte) rowapi.Cell {
	return rowapi.Cell{Row: r.key, Family: family, Qualifier: []byte(qualifier), Value: value,
		Timestamp: int64(oldest(r.table.Families))}
}

// The states of tables.
const (
	stateEnabled  = 0
	stateDisabled = 1
)

func stateOf(t *Table) byte {
	if t.Disabled {
		return stateDisabled
	}
	return stateEnabled
}

func regionState(t *Table) string {
	if t.Disabled {
		return "CLOSED"
	}
	return "OPEN"
}

// State is the state of a table, as a number of HBase's TableState.
func (t *Table) State() uint64 { return uint64(stateOf(t)) }

// ScanMeta returns the rows of hbase:meta that a scan reads, at most limit if that is above 0. It ignores
// filters.
func (v *View) ScanMeta(scan *rowapi.Scan, s Server, limit int) (out []rowapi.Result) {
	rows := v.meta()
	first, firstOut, last, lastIn := scan.Start, scan.StartExclusive, scan.Stop, scan.StopInclusive
	if scan.Reversed {
		first, firstOut, last, lastIn = scan.Stop, !scan.StopInclusive, scan.Start, !scan.StartExclusive
	}
	from, to := 0, len(rows)
	if len(first) > 0 {
		from = placeOf(rows, first, firstOut)
	}
	if len(last) > 0 {
		to = placeOf(rows, last, lastIn)
	}
	for n := 0; n < to-from && (limit == 0 || len(out) < limit); n++ {
		r := rows[from+n]
		if scan.Reversed {
			r = rows[to-1-n]
		}
		if cells := wanted(r.cells(s), scan.Families); len(cells) > 0 {
			out = append(out, rowapi.Result{Cells: cells, Exists: true})
		}
	}
	return out
}

// placeOf is the index of the first row at a key, or after it.
func placeOf(rows []*metaRow, key []byte, behind bool) int {
	return sort.Search(len(rows), func(i int) bool {
		c := compareMeta(rows[i].key, key)
		return c > 0 || c == 0 && !behind
	})
}

// wanted returns the cells of some columns, all if none are named.
func wanted(cells []rowapi.Cell, columns []rowapi.FamilyColumns) []rowapi.Cell {
	if len(columns) == 0 {
		return cells
	}
	return slices.DeleteFunc(cells, func(c rowapi.Cell) bool {
		return !slices.ContainsFunc(columns, func(f rowapi.FamilyColumns) bool {
			return f.Family == c.Family && (len(f.Qualifiers) == 0 ||
				slices.ContainsFunc(f.Qualifiers, func(q []byte) bool { return bytes.Equal(q, c.Qualifier) }))
		})
	})
}

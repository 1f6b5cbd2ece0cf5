package hbaseserver_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

// speedProgram is one client in a turn.
type speedProgram struct {
	*contender
	ctx    context.Context
	client gohbase.Client
	rand   *rand.Rand
	ranks  *rand.Zipf
	next   int // of the rows that it writes in sequence
	scan   hrpc.Scanner
}

// speedWorkload is an operation that is repeated.
type speedWorkload struct {
	name string
	do   func(*speedProgram) error
	gets bool // it only does Gets of existing rows
}

// speedWorkloads are those of YCSB, on rows of five cells with a Zipf distribution, and those of
// PerformanceEvaluation.
var speedWorkloads = []speedWorkload{
	{"Get of a row", func(p *speedProgram) error { return p.get(p.rand.IntN(speedRows)) }, true},
	{"YCSB A, 50 % update", mixed(50, (*speedProgram).update), false},
	{"YCSB B, 5 % update", mixed(5, (*speedProgram).update), false},
	{"YCSB C, reads", mixed(0, nil), true},
	{"YCSB D, 5 % insert, reads of the latest", mixed(5, (*speedProgram).insert), false},
	{"YCSB E, 5 % insert, scans of up to 100 rows", func(p *speedProgram) error {
		if p.rand.IntN(100) < 5 {
			return p.insert()
		}
		return p.shortScan()
	}, false},
	{"YCSB F, 50 % read-modify-write", mixed(50, func(p *speedProgram) error {
		row := p.record()
		if err := p.get(row); err != nil {
			return err
		}
		return p.put(speedRow(row), p.oneColumn())
	}), false},
	{"sequentialWrite", func(p *speedProgram) error {
		p.next++
		return p.put(fmt.Sprintf("seq%p%08d", p, p.next), map[string]map[string][]byte{"f": {"0": speedKilobyte}})
	}, false},
	{"randomRead", func(p *speedProgram) error { return p.get(p.rand.IntN(speedRows)) }, true},
	{"scan, a row", (*speedProgram).scanRow, false},
	{"increment", (*speedProgram).increment, false},
	{"checkAndPut", (*speedProgram).checkAndPut, false},
	{"batch of 100 puts", (*speedProgram).batch, false},
}

var speedKilobyte = make([]byte, 1000)

// mixed reads rows, and in that many per cent of the operations does something else.
func mixed(percent int, other func(*speedProgram) error) func(*speedProgram) error {
	return func(p *speedProgram) error {
		if p.rand.IntN(100) < percent {
			return other(p)
		}
		return p.get(p.record())
	}
}

// record is the number of a row by its rank; ranks are scattered over the rows.
func (p *speedProgram) record() int { return int(p.ranks.Uint64() * 0x9e3779b97f4a7c15 % speedRows) }

func (p *speedProgram) get(row int) error {
	get, err := hrpc.NewGetStr(p.ctx, speedTable, speedRow(row), hrpc.SkipBatch())
	if err != nil {
		return err
	}
	r, err := p.client.Get(get)
	if err == nil && len(r.Cells) < speedColumns {
		err = fmt.Errorf("row %d has %d cells", row, len(r.Cells))
	}
	return err
}

func (p *speedProgram) put(row string, values map[string]map[string][]byte) error {
	put, err := hrpc.NewPutStr(p.ctx, speedTable, row, values, hrpc.SkipBatch())
	if err == nil {
		_, err = p.client.Put(put)
	}
	return err
}

func (p *speedProgram) oneColumn() map[string]map[string][]byte {
	return map[string]map[string][]byte{"f": {speedColumn(p.rand.IntN(speedColumns)): speedBytes(p.rand.IntN(1 << 20))}}
}

func (p *speedProgram) update() error { return p.put(speedRow(p.record()), p.oneColumn()) }

func (p *speedProgram) insert() error {
	row := speedRows + int(p.inserted.Add(1))
	return p.put(speedRow(row), speedRecord(row))
}

func (p *speedProgram) shortScan() error {
	rows := 1 + p.rand.IntN(100)
	scan, err := hrpc.NewScanRangeStr(p.ctx, speedTable, speedRow(p.record()), "", hrpc.NumberOfRows(uint32(rows)))
	if err != nil {
		return err
	}
	s := p.client.Scan(scan)
	for range rows {
		if _, err := s.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return s.Close()
}

// scanRow is the next row of a scan of the whole table.
func (p *speedProgram) scanRow() error {
	if p.scan == nil {
		scan, err := hrpc.NewScanRangeStr(p.ctx, speedTable, "user", "v", hrpc.NumberOfRows(100))
		if err != nil {
			return err
		}
		p.scan = p.client.Scan(scan)
	}
	_, err := p.scan.Next()
	if err == io.EOF {
		p.scan, err = nil, nil
	}
	return err
}

func (p *speedProgram) increment() error {
	inc, err := hrpc.NewIncStrSingle(p.ctx, speedTable, fmt.Sprintf("count%d", p.rand.IntN(1000)), "f", "n", 1, hrpc.SkipBatch())
	if err == nil {
		_, err = p.client.Increment(inc)
	}
	return err
}

func (p *speedProgram) checkAndPut() error {
	row := fmt.Sprintf("check%p", p)
	p.next++
	var expected []byte
	if p.next > 1 {
		expected = speedBytes(p.next - 1)
	}
	put, err := hrpc.NewPutStr(p.ctx, speedTable, row, map[string]map[string][]byte{"f": {"q": speedBytes(p.next)}})
	if err != nil {
		return err
	}
	done, err := p.client.CheckAndPut(put, "f", "q", expected)
	if err == nil && !done && p.next > 1 {
		err = fmt.Errorf("a checkAndPut of %s was not done", row)
	}
	return err
}

func (p *speedProgram) batch() error {
	var batch []hrpc.Call
	for range 100 {
		p.next++
		put, err := hrpc.NewPutStr(p.ctx, speedTable, fmt.Sprintf("batch%p%08d", p, p.next),
			map[string]map[string][]byte{"f": {"0": speedBytes(p.next)}})
		if err != nil {
			return err
		}
		batch = append(batch, put)
	}
	if results, ok := p.client.SendBatch(p.ctx, batch); !ok {
		return results[0].Error
	}
	return nil
}

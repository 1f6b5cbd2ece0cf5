package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/exec/typedscan"
)

// Memory has the operators that nearly every SELECT needs, for reuse. It can serve the next SELECT
// after the Rows are closed and neither they nor what they returned are used any more; call Clear
// in between. The zero Memory is ready.
type Memory struct {
	rows    Rows
	scan    scan.Scan
	typed   typedscan.Rows
	project pipeline.Project
	block   Block
	used    bool
	// Writer is what a writing statement keeps for the next one, without what it wrote; it may be nil.
	Writer interface{ Forget() }
}

// maxFrame is the number of columns up to which a frame, or the row of a projection, is kept for the next SELECT.
const maxFrame = 64

// Clear drops everything that the last statement has left. An INSERT of values has no SELECT.
func (m *Memory) Clear() {
	if m.Writer != nil {
		m.Writer.Forget()
	}
	if !m.used {
		return
	}
	cells := m.block.cells
	if m.block.forgotten {
		cells = kv.Batch{}
	}
	cells.Release()
	// One by one: assigning a new Memory takes twice as long.
	frame := m.rows.x.Env.Row
	m.rows = Rows{}
	if cap(frame) <= maxFrame {
		clear(frame)
		m.rows.x.Env.Row = frame[:0]
	}
	if m.scan.Cells != nil {
		m.scan.Cells.Release()
	}
	m.scan = scan.Scan{Cells: m.scan.Cells}
	if m.typed.Table != nil {
		m.typed.Release()
	}
	room := m.project.Room
	m.project = pipeline.Project{}
	if cap(room) <= maxFrame {
		clear(room)
		m.project.Room = room
	}
	m.block = Block{}
	m.block.cells = cells
	m.used = false
}

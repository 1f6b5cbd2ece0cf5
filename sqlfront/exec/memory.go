package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/exec/typedscan"
)

// Memory is what a SELECT runs in: the parts that nearly each one has. It can
// go to the next one once the Rows are closed and nobody uses them or what they
// gave any more; Clear comes between. The zero Memory is ready.
type Memory struct {
	rows    Rows
	scan    scan.Scan
	typed   typedRows
	project pipeline.Project
	block   Block
	// What is taken.
	hasRows, hasScan, hasProject bool
}

// Clear lets go of all that the last SELECT has left.
func (m *Memory) Clear() {
	cells := m.block.cells
	if m.block.forgotten {
		cells = kv.Batch{}
	}
	cells.Release()
	// Part by part: to make a Memory and copy it takes twice as long.
	m.rows = Rows{}
	m.scan = m.scan.Zero()
	m.typed.Release()
	m.typed.taken = false
	m.project = pipeline.Project{}
	m.block = Block{}
	m.block.cells = cells
	m.hasRows, m.hasScan, m.hasProject = false, false, false
}

// NewScan is the scan, or another one where that is taken.
func (m *Memory) NewScan() *scan.Scan {
	if m == nil || m.hasScan {
		return &scan.Scan{}
	}
	m.hasScan = true
	return &m.scan
}

// NewProject is the projection, or another one where that is taken.
func (m *Memory) NewProject() *pipeline.Project {
	if m == nil || m.hasProject {
		return &pipeline.Project{}
	}
	m.hasProject = true
	return &m.project
}

// typedRows are the rows of a typed table.
type typedRows struct {
	typedscan.Rows
	taken bool
}

// NewTypedRows is the rows of a typed table, or others where these are taken.
func (m *Memory) NewTypedRows() *typedscan.Rows {
	if m == nil || m.typed.taken {
		return &typedscan.Rows{}
	}
	m.typed.taken = true
	return &m.typed.Rows
}

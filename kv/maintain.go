package kv

import "context"

// Backuper is a Store that can copy itself while it is in use.
type Backuper interface {
	// Backup makes dir a copy of the store at one commit, with everything
	// committed before the call, which opens as a store of its own. Reads
	// continue meanwhile; commits are blocked briefly. It creates dir and the
	// directories above it, and fails with ErrBackupTarget if dir exists and is
	// not empty. A failed backup leaves nothing behind.
	Backup(ctx context.Context, dir string) error
}

// Checker is a Store that can look for damage in what it has stored.
type Checker interface {
	// Check begins a check of the newest snapshot. It must be closed.
	Check(CheckOptions) (Check, error)
}

// CheckDepth says how much a check reads.
type CheckDepth uint8

// The depths of a check.
const (
	// CheckCells reads the checksum of every block and decodes every cell: its
	// key, its place in the order and among the partitions, and its value.
	CheckCells CheckDepth = iota
	// CheckFiles only reads the checksums.
	CheckFiles
	// CheckLookups is CheckCells, and also reads the cells backwards and looks
	// up each row.
	CheckLookups
)

// CheckOptions say how a check is done.
type CheckOptions struct {
	Depth CheckDepth
	// Progress, if not nil, is called at times by the goroutine that checks.
	Progress func(CheckProgress)
}

// CheckProgress is the progress of a check of one table.
type CheckProgress struct {
	Files, AllFiles int   // files with cells of the table
	Cells           int64 // read so far
}

// Check is a running check. It is used by one goroutine.
type Check interface {
	// Table checks one table as of the snapshot. It fails with ErrNoTable if
	// that is missing. Damage is in the report; an error is the reason why the
	// check could not continue.
	Table(ctx context.Context, database, name string) (CheckReport, error)
	// Rest checks what belongs to no table: the store's own records, that no
	// cells are outside the tables, and the files not yet checked.
	Rest(ctx context.Context) (CheckReport, error)
	// Tables returns the tables of the snapshot, including those of index entries.
	Tables() []*Table
	Close() error
}

// CheckReport is what a check has found.
type CheckReport struct {
	Cells int64
	Rows  int64 // in a table with slices of time, a row counts in each slice
	// Damage has up to MaxDamage findings, each with the file or the key.
	Damage []error
	More   int // further findings
	// Notes are not damage, but facts such as the version of the store's format.
	Notes []string
}

// MaxDamage bounds the Damage of a CheckReport.
const MaxDamage = 100

// Add adds a finding.
func (r *CheckReport) Add(err error) {
	if len(r.Damage) < MaxDamage {
		r.Damage = append(r.Damage, err)
	} else {
		r.More++
	}
}

// AddAll adds the findings of another check.
func (r *CheckReport) AddAll(o CheckReport) {
	for _, err := range o.Damage {
		r.Add(err)
	}
	r.More += o.More
	r.Notes = append(r.Notes, o.Notes...)
}

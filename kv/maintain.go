package kv

import "context"

// Backuper is a Store that can copy itself while it is in use.
type Backuper interface {
	// Backup makes dir a copy of the store at one commit, with everything
	// that was committed before the call, which opens as a store of its own.
	// Reads go on meanwhile; commits wait for moments. dir is
	// made, with the directories above it; ErrBackupTarget where it is there
	// and not empty. A backup that fails leaves nothing behind.
	Backup(ctx context.Context, dir string) error
}

// Checker is a Store that can look for damage in what it has stored.
type Checker interface {
	// Check begins a check of the newest snapshot. It must be closed.
	Check(CheckOptions) (Check, error)
}

// CheckDepth is how much a check looks at.
type CheckDepth uint8

// The depths of a check.
const (
	// CheckCells reads the checksum of every block and takes every cell apart:
	// its key, its place in the order and among the partitions, and its value.
	CheckCells CheckDepth = iota
	// CheckFiles reads the checksums alone.
	CheckFiles
	// CheckLookups is CheckCells that also reads the cells backwards, and looks
	// each row up.
	CheckLookups
)

// CheckOptions are how a check is done.
type CheckOptions struct {
	Depth CheckDepth
	// Progress, where it is not nil, is called now and then by the goroutine
	// that checks.
	Progress func(CheckProgress)
}

// CheckProgress is how far a check has come with one table.
type CheckProgress struct {
	Files, AllFiles int   // those that hold cells of the table
	Cells           int64 // read so far
}

// Check is a running check. It is used by one goroutine.
type Check interface {
	// Table checks one table as it is in the snapshot. ErrNoTable where it is
	// not there. Damage is in the report; an error is why the check could not
	// go on.
	Table(ctx context.Context, database, name string) (CheckReport, error)
	// Rest checks what belongs to no table: the store's own records, that no
	// cells are outside the tables, and the files not yet looked at.
	Rest(ctx context.Context) (CheckReport, error)
	// Tables are the tables of the snapshot, with those of entries of indexes.
	Tables() []*Table
	Close() error
}

// CheckReport is what a check has found.
type CheckReport struct {
	Cells int64
	Rows  int64 // where a table is cut by time, a row counts in each slice
	// Damage holds up to MaxDamage findings, each with the file or the key.
	Damage []error
	More   int // findings that Damage has no room for
	// Notes are what is no damage, such as the version of the store's format.
	Notes []string
}

// MaxDamage bounds what a CheckReport holds.
const MaxDamage = 100

// Add adds a finding.
func (r *CheckReport) Add(err error) {
	if len(r.Damage) < MaxDamage {
		r.Damage = append(r.Damage, err)
	} else {
		r.More++
	}
}

// AddAll adds the findings of another check of the same.
func (r *CheckReport) AddAll(o CheckReport) {
	for _, err := range o.Damage {
		r.Add(err)
	}
	r.More += o.More
	r.Notes = append(r.Notes, o.Notes...)
}

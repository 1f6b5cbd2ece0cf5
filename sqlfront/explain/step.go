package explain

import (
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// Step describes a running step of a plan.
type Step struct {
	// Title is what the step does, in a few words.
	Title string
	// Details are further properties, in order.
	Details []Detail
	// Steps are those that this one reads, Queries the subqueries that its
	// expressions run.
	Steps   []*Step
	Queries []*Step
	// Block is set where the step is the whole of a query, not only a part.
	Block *Block
	// Filesort and Temporary are MySQL's words for a sort and for rows kept
	// in memory.
	Filesort, Temporary bool
	// Table describes the access where the step reads a relation.
	Table *Table
	// Rows is the number of rows that the step has given so far, -1 where
	// nobody counts.
	Rows int64
	// Stats are of the store's cursor.
	Stats kv.ScanStats
	// Took is how long the step ran, with those below it, Memory the most that it
	// kept at a time, in bytes; 0 where nobody measured.
	Took   time.Duration
	Memory int64
}

// Detail is a property of a Step.
type Detail struct{ Name, Value string }

// Block is what is known of a query as a whole.
type Block struct {
	Union bool // or another set operation
	// Operation is UNION, EXCEPT or INTERSECT of a query that is behind that word.
	Operation string
	Dependent bool // a subquery that reads columns of the query around
	// Uncacheable is a subquery whose result may be another one each time.
	Uncacheable bool
}

// Table is how a relation is read, in the terms of MySQL's EXPLAIN.
type Table struct {
	Table      string
	Partitions string // names, empty where the table has no partitions
	Pruned     bool   // of these, those of keys that are not known yet
	Type       string // const, ref, range, index, ALL; empty where nothing is read
	Key        bool   // the primary key is used
	KeyLen     int    // bytes of it that the spans are about, 0 for none
	Ref        string
	Index      string // the secondary index that has led to the rows
	// Access is Phoenix's word: POINT LOOKUP, SKIP SCAN, RANGE SCAN, FULL SCAN.
	Access string
	// Join is how the rows are joined with those of the tables before, where
	// they are not looked up.
	Join string
	// Filtered says that a condition is left to be checked for each row,
	// KeyOnly that V is not read.
	Filtered, KeyOnly bool
	// Recursive says that the rows are those of a recursion's step before.
	Recursive bool
	// Written says that the relation is not read but only written.
	Written bool
	// Rows estimates the rows, -1 where nothing is known, and Kept how many of a
	// hundred meet the condition that is left.
	Rows int64
	Kept float64
	// Empty says why no row is read; it is empty where some may be.
	Empty string
}

// NewStep is a step over others of which nobody has counted the rows.
func NewStep(title string, under ...*Step) *Step {
	return &Step{Title: title, Steps: under, Rows: -1}
}

// NewWrite is the step of a statement that writes a table and reads no relation.
func NewWrite(statement, target string) *Step {
	s := NewStep(capitalized(statement) + " into " + target)
	s.Block = &Block{}
	s.Table = &Table{Table: target, Type: "ALL", Rows: -1, Written: true}
	return s
}

// Failed is the step of a query that cannot be opened.
func Failed(err error) *Step { return NewStep(err.Error()) }

// Add adds a property, where it has a value.
func (s *Step) Add(name, value string) {
	if value != "" {
		s.Details = append(s.Details, Detail{name, value})
	}
}

// AddSpilled says that the step used temporary files.
func (s *Step) AddSpilled() { s.Add("kept", "in temporary files") }

// Unmeasured says of a step and those below that nobody has counted their rows.
func (s *Step) Unmeasured() *Step {
	s.Rows = -1
	for _, under := range s.Steps {
		under.Unmeasured()
	}
	return s
}

// reads reports whether the step itself reads the store.
func (s *Step) reads() bool { return s.Table != nil && s.Table.Access != "" }

// writes reports whether the step is a statement that reads no relation.
func (s *Step) writes() bool { return s.Table != nil && s.Table.Written }

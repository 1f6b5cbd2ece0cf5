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
	// Steps are those that this one reads, Queries the subqueries that its expressions run.
	Steps   []*Step
	Queries []*Step
	// Block is set if the step is a whole query, not only a part of one.
	Block *Block
	// Filesort and Temporary are MySQL's words for a sort and for rows kept in memory.
	Filesort, Temporary bool
	// Table describes the access if the step reads a relation.
	Table *Table
	// Rows is the number of rows that the step has returned so far, -1 if they are not counted.
	Rows int64
	// Stats are those of the store's cursor.
	Stats kv.ScanStats
	// Took is how long the step ran, including those below it; Memory is the most that it kept at a time, in
	// bytes. Both are 0 if nothing was measured.
	Took   time.Duration
	Memory int64
}

// Detail is a property of a Step.
type Detail struct{ Name, Value string }

// Block is what is known about a query as a whole.
type Block struct {
	Union bool // or another set operation
	// Operation is UNION, EXCEPT or INTERSECT for a query that follows that word.
	Operation string
	Dependent bool // a subquery that reads columns of an outer query
	// Uncacheable says that it is a subquery whose result may differ each time.
	Uncacheable bool
}

// Table is how a relation is read, in the terms of MySQL's EXPLAIN.
type Table struct {
	Table      string
	Partitions string // names, empty if the table has no partitions
	Pruned     bool   // partitions are left out when it runs, by keys that are not known yet
	Type       string // const, ref, range, index, ALL; empty if nothing is read
	Key        bool   // the primary key is used
	KeyLen     int    // bytes of it that the spans use, 0 for none
	Ref        string
	Index      string // the secondary index that has led to the rows, or several of them
	// Layout is local if the entries of each partition's rows lie together, global if not.
	Layout string
	Merged string // how several indexes have, or one whose first column has no condition, in MySQL's words
	// Access is Phoenix's word: POINT LOOKUP, SKIP SCAN, RANGE SCAN, FULL SCAN.
	Access string
	// Join is how the rows are joined with those of the tables before, if they are not looked up.
	Join string
	// Filtered says that a condition is left to be checked for each row, KeyOnly that V is not read.
	Filtered, KeyOnly bool
	// Recursive says that the rows are those of the recursion's previous step.
	Recursive bool
	// Written says that the relation is not read but only written.
	Written bool
	// Rows is the estimated number of rows, -1 if it is unknown, and Kept is the percentage of them that meet
	// the remaining condition.
	Rows int64
	Kept float64
	// Empty says why no row is read; it is empty if rows may be read.
	Empty string
}

// NewStep is a step over others whose rows are not counted.
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

// Add adds a property if it has a value.
func (s *Step) Add(name, value string) {
	if value != "" {
		s.Details = append(s.Details, Detail{name, value})
	}
}

// AddSpilled says that the step used temporary files.
func (s *Step) AddSpilled() { s.Add("kept", "in temporary files") }

// Unmeasured marks the rows of a step and of those below it as not counted.
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

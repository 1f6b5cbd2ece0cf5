package ddl

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// mostPartitions is the largest number of partitions that is recommended for a table: a prime, with which
// each partition still costs little.
const mostPartitions = 997

// noteCount notes numbers of partitions that the books on HBase row keys advise against: even ones for a
// hash, and very large ones.
func (d *DDL) noteCount(ctx context.Context, database, name string) {
	c, err := d.Store.Catalog(ctx)
	if err != nil || c.Table(database, name) == nil {
		return // a missing note is no reason to fail
	}
	t := c.Table(database, name)
	name = schema.ShownName(t)
	hashed := t.Partitioning.Method() == partition.Key || t.Partitioning.Method() == partition.PrefixKey
	switch n, leaves := t.Partitioning.Len(), t.Partitioning.NumLeaves(); {
	case leaves > mostPartitions:
		d.Note(mysqlerr.UnknownError, fmt.Sprintf("Table '%s' has %d partitions: more than %d are not advised, since each needs memory and files, "+
			"and a read in key order visits all partitions that it cannot exclude", name, leaves, mostPartitions))
	case hashed && n%2 == 0:
		d.Note(mysqlerr.UnknownError, fmt.Sprintf("Table '%s' has %d partitions: an even number is not advised for KEY; "+
			"a prime number, such as %d, spreads regular keys more evenly", name, n, nextPrime(n)))
	}
}

// nextPrime is the first prime larger than n.
func nextPrime(n int) int {
	for n++; !big.NewInt(int64(n)).ProbablyPrime(0); n++ {
	}
	return n
}

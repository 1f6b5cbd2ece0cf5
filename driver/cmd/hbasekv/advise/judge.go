package advise

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Advice is the result for a table.
type Advice struct {
	table   *advisedTable
	order   writeOrder
	count   countAdvice
	queries []string
	tried   []*trial
}

// compare tries the layouts.
func (a *Advice) compare(ctx context.Context, queries []string) error {
	a.queries = queries
	s, err := openTrials(ctx, a.table, a.order.since)
	if err != nil {
		return err
	}
	defer s.Close()
	a.tried = a.trials()
	for _, t := range a.tried {
		if err := s.try(ctx, t, queries); err != nil {
			return err
		}
	}
	return nil
}

func (a *Advice) now() *trial { return a.tried[0] }

// find is the first layout whose name begins with name, or nil.
func (a *Advice) find(name string) *trial {
	i := slices.IndexFunc(a.tried[1:], func(t *trial) bool { return strings.HasPrefix(t.name, name) })
	if i < 0 {
		return nil
	}
	return a.tried[i+1]
}

// hotShare is the share of the newest rows above which a partition is hot.
const hotShare = 0.5

// hot is why one partition takes most writes; empty if none does.
func (a *Advice) hot() string {
	now := a.now()
	newest, partitions := now.newest, len(now.names)
	if partitions < 2 || !a.order.enough || newest.share() < max(hotShare, 2/float64(partitions)) {
		return ""
	}
	busiest := newest.skew().Largest
	figures := fmt.Sprintf("partition %s takes %s of the newest rows (max/mean %.2f, Gini %.2f)",
		now.names[busiest], percent(newest.share()), newest.skew().MaxMean, newest.skew().Gini)
	share := float64(now.rows[busiest]) / float64(max(now.rows.total(), 1))
	switch {
	case a.order.grows():
		return figures + ": " + a.whyGrows() + "."
	case a.order.span >= loadSpan && newest.share() >= 2*share:
		return fmt.Sprintf("%s, though it has only %s of all rows: few keys, or few prefixes, take the writes.", figures, percent(share))
	}
	return ""
}

// end is where new rows are inserted.
func (a *Advice) end() string {
	if a.order.first > a.order.last {
		return "beginning"
	}
	return "end"
}

func (a *Advice) whyGrows() string {
	if a.order.times.name != "" && a.order.current {
		return fmt.Sprintf("keys begin with %s, so that new rows come at one end", a.order.times.name)
	}
	return "new rows come at the " + a.end() + " of the keys, as those of a sequence do"
}

// fewPerPartition is the minimum number of sampled rows per partition to judge skew.
const fewPerPartition = 20

// uneven reports whether the rows are badly distributed now.
func (a *Advice) uneven() bool {
	s := a.now().rows
	return len(s) > 1 && s.total() >= fewPerPartition*int64(len(s)) && s.skew().MaxMean > 2*s.chance()
}

// Warnings are what should be changed.
func (a *Advice) Warnings() []string {
	var out []string
	if why := a.hot(); why != "" {
		out = append(out, "hotspot: "+why)
	}
	if s := a.now().rows; a.uneven() {
		out = append(out, fmt.Sprintf("skew: the fullest partition has %.1f times the mean of rows (Gini %.2f).", s.skew().MaxMean, s.skew().Gini))
	}
	return append(append(out, a.shortScans()...), a.sizeWarnings()...)
}

// A scan is short if it reads fewer cells of each partition than can be read in the time of the seek
// (conformance/peers with -loaded, "scan, LIMIT 100" in one partition and in 97: 4.4 us a seek, 0.3 us a
// cell).
const (
	cellsOfSeek = 15
	fewSeeks    = 8
)

// shortScans are the queries that seek in many partitions for fewer cells than one of them has.
func (a *Advice) shortScans() []string {
	var out []string
	all, sampled := float64(a.table.cells()), float64(max(a.now().rows.total(), 1))
	for i, q := range a.now().queries {
		partitions := float64(q.partitions)
		cells := min(q.cells*all/sampled, q.limit)
		if q.err != nil || !q.scans || partitions < fewSeeks || cells >= min(cellsOfSeek*partitions, all/partitions) {
			continue
		}
		out = append(out, fmt.Sprintf("short scan: %s reads about %s and seeks in %d partitions, which takes longer than to read them. "+
			"Fewer partitions suit it, ranges of K, or KEY over a beginning of K that its condition gives.",
			shortened(a.queries[i]), plural(int(cells), "cell"), q.partitions))
	}
	return out
}

// manyFamilies is the number of which HBase's book warns
// (https://hbase.apache.org/book.html#number.of.cfs).
const manyFamilies = 3

func (a *Advice) sizeWarnings() []string {
	var out []string
	k, q, v := a.lengths()
	if k+q > 32 && k+q > 4*v {
		out = append(out, fmt.Sprintf("long keys: each cell repeats %.0f bytes of K and Q for %.0f of V; shorten keys and qualifiers, or keep several fields in one value.", k+q, v))
	}
	if n := len(a.table.families); n > manyFamilies {
		out = append(out, fmt.Sprintf("families: %s has %d; more than two or three are seldom of use, since rows are read family by family.", a.table.group, n))
	}
	for _, f := range a.table.families {
		if len(f) > 16 {
			out = append(out, fmt.Sprintf("family name: %s has %d bytes, and HBase repeats it in each cell (the embedded store does not).", f, len(f)))
		}
	}
	n := len(a.now().names)
	switch {
	case n > mostPartitions:
		out = append(out, fmt.Sprintf("partitions: %d are more than %d, and a statement over all of them pays for each.", n, mostPartitions))
	case a.table.method == "KEY" && n > 2 && n%2 == 0:
		out = append(out, fmt.Sprintf("partitions: %d is even; a prime such as %d spreads keys with a pattern better.", n, prime(n)))
	}
	return out
}

// lengths are the mean lengths of K, Q and V over all cells.
func (a *Advice) lengths() (k, q, v float64) {
	s := &a.table.sample
	var keys, qualifiers int64
	for _, r := range s.rows {
		keys += int64(len(r.key)) * r.cells
		qualifiers += r.qualifier
	}
	cells := float64(max(s.cellCount(), 1))
	return float64(keys) / cells, float64(qualifiers) / cells, float64(s.valueBytes) / float64(max(s.values, 1))
}

// Proposal is a change that improves something, with its statements.
type Proposal struct {
	Title, Why string
	Statements []string
}

// Proposals are remedies for a hotspot or skew, the one that fits the queries
// first.
func (a *Advice) Proposals() []Proposal {
	switch {
	case a.hot() != "" && a.order.grows():
		out := append(a.hash(), a.salt()) // hashing needs no change of statements
		if a.readsRanges() {
			slices.Reverse(out)
		}
		return append(out, a.turn()...)
	case a.hot() != "" || a.uneven():
		return append(a.split(), a.hash()...)
	}
	return nil
}

// readsRanges reports whether a query reads ranges of rows.
func (a *Advice) readsRanges() bool {
	return slices.ContainsFunc(a.now().queries, func(q explained) bool { return q.err == nil && q.scans })
}

func (a *Advice) hash() []Proposal {
	t := a.find("KEY(K)")
	if t == nil {
		return nil
	}
	return []Proposal{{
		Title: fmt.Sprintf("hash the keys, %d partitions", len(t.names)),
		Why: "Keys stay as they are. A row is read from one partition; a range is read from all of them, merged. " +
			"In the trial the fullest partition has " + spread(t) + "." + a.family(wholeGroup),
		Statements: []string{"ALTER TABLE " + a.table.name + " " + t.layout + ";"},
	}}
}

// split moves the bounds of ranges, if the newest rows are then spread over them.
func (a *Advice) split() []Proposal {
	t := a.find("RANGE")
	if a.table.method != "RANGE COLUMNS" || t == nil || t.newest.share() >= hotShare {
		return nil
	}
	statements, family := []string{"ALTER TABLE " + a.table.name + " " + t.layout + ";"}, wholeGroup
	if a.table.limits.Allows(kv.ChangePartitions) != nil {
		statements, family = a.copyInto(t), eachFamily
	}
	return []Proposal{{
		Title:      fmt.Sprintf("divide the ranges evenly, %d partitions", len(t.names)),
		Why:        "Bounds are the quantiles of the sampled keys. In the trial the fullest partition has " + spread(t) + "." + a.family(family),
		Statements: statements,
	}}
}

func (a *Advice) salt() Proposal {
	t := a.find("SALT")
	buckets := len(t.names)
	return Proposal{
		Title: fmt.Sprintf("salt the keys, %d buckets", buckets),
		Why: fmt.Sprintf("A byte in front, computed from the key, spreads new rows, and each bucket stays in order. Read a row by "+
			"K = SALT('key', %d), a range as one span a bucket (K >= X'00..' AND K < X'00..' OR K >= X'01..' ...; package rowkey's SaltCondition "+
			"writes it) and ORDER BY UNSALT(K): a merge, no sort. In the trial the fullest partition has %s.%s", buckets, spread(t), a.family(eachFamily)),
		Statements: a.copyInto(t),
	}
}

// copyInto returns the statements for a copy of the table with other keys.
func (a *Advice) copyInto(t *trial) []string {
	name := a.table.copyName()
	return []string{
		a.table.as(t.definition, name) + "\n" + t.layout + ";",
		fmt.Sprintf("INSERT INTO %s (K, Q, T, V)\n  SELECT %s, Q, T, V FROM %s FOR SYSTEM_TIME ALL;", quoteName(name), fmt.Sprintf(t.key, "K"), a.table.name),
	}
}

// turned is the layout for keys of a time and a thing, with these two swapped,
// so that the newest rows of each thing are together; nil if keys have no such
// parts.
func (a *Advice) turned() *trial {
	sep, at := separator(a.table.sample.rows)
	if sep == "" || at == 0 || a.order.times.millis == "" || !a.table.can(partition.Key) {
		return nil
	}
	things, length := thingsOf(a.table.sample.rows, at+1)
	if things < fewTimes || things > len(a.table.sample.rows)/2 {
		return nil
	}
	quoted := literal([]byte(sep))
	part := func(n int) string { return fmt.Sprintf("ROWKEY_PART(%%[1]s, %s, %d)", quoted, n) }
	out := &trial{
		name: turnedName, definition: a.table.longer(8), layout: keyLayout("K", a.count.n),
		key: fmt.Sprintf("ROWKEY(%s, %s, REVERSE_TS(%s))", quoted, part(2), fmt.Sprintf(a.order.times.millis, part(1))),
	}
	if length > 0 {
		var name string
		name, out.definition = a.table.withPrefix(out.definition, length)
		out.layout = keyLayout(name, a.count.n)
	}
	return out
}

const turnedName = "time behind"

// thingsOf counts the distinct ends of keys from an offset on; length is their
// length, 0 if it varies.
func thingsOf(rows []sampledRow, from int) (n, length int) {
	seen := map[string]bool{}
	for i, r := range rows {
		thing := string(r.key[from:])
		seen[thing] = true
		if i == 0 {
			length = len(thing)
		}
		if len(thing) != length {
			length = 0
		}
	}
	return len(seen), length
}

func (a *Advice) turn() []Proposal {
	t := a.find(turnedName)
	if t == nil || t.newest.share() >= hotShare {
		return nil
	}
	return []Proposal{{
		Title: "put what the time belongs to first",
		Why: "The parts of the keys are turned round, and the time is reversed: the newest rows of each thing are together and come first, " +
			"as K LIKE 'thing...%' LIMIT n reads them. In the trial the fullest partition has " + spread(t) + "." + a.family(eachFamily),
		Statements: a.copyInto(t),
	}}
}

const (
	wholeGroup = "It changes all families of the group."
	eachFamily = "The other families of the group are to be copied likewise."
)

// family returns what a proposal means for the other families of the group.
func (a *Advice) family(words string) string {
	if len(a.table.families) < 2 {
		return ""
	}
	return " " + words
}

func spread(t *trial) string {
	return fmt.Sprintf("%.2f times the mean of rows (Gini %.2f) and %s of the newest", t.rows.skew().MaxMean, t.rows.skew().Gini, percent(t.newest.share()))
}

func percent(f float64) string {
	if f > 0 && f < 0.095 {
		return fmt.Sprintf("%.1f %%", 100*f)
	}
	return fmt.Sprintf("%.0f %%", 100*f)
}

package heat

import (
	"bytes"
	"slices"
	"sort"
	"time"
)

// A partition is cut where its samples are.
const (
	maxCuts    = 15 // of a partition
	cutsALook  = 4  // of a partition
	cutPoints  = 16 // samples of single rows that a range has at least when it is cut
	cutsBurst  = 60 // of all partitions, and then one every cutsEvery
	cutsEvery  = 15 * time.Second
	cutsKept   = time.Hour // of a partition of which nothing is asked
	cutPortion = 4         // a range is cut that has this part of its partition's samples
)

// spot is a partition of which something was asked. It is guarded by the recorder's lock.
type spot struct {
	whole *Range
	cuts  [][]byte // rows at which it is cut
	parts []part   // between the cuts; empty where there are no cuts and no samples yet
	used  time.Time
}

// part is a range within a partition, and who asks for it.
type part struct {
	*Range
	tally tally
}

// index is the part that a row is in.
func (s *spot) index(row []byte) int { return indexIn(s.cuts, row) }

// indexIn is the range between cuts that a row is in.
func indexIn(cuts [][]byte, row []byte) int {
	return sort.Search(len(cuts), func(i int) bool { return bytes.Compare(cuts[i], row) > 0 })
}

// covers are the first and the last part that an access may have read.
func (s *spot) covers(a *access) (from, to int) {
	from = s.index(a.from)
	switch {
	case a.point:
		return from, from
	case len(a.to) == 0:
		return from, len(s.cuts)
	}
	return from, max(from, s.index(a.to))
}

// share shares what the partition has gained among its parts as the samples are. What no sample stands for is the whole
// partition's.
func (s *spot) share(gained Amount, reads, writes []*access, add func(*Range, Amount)) {
	rest := gained
	for _, by := range []struct {
		samples []*access
		amount  Amount
	}{{reads, Amount{Reads: gained.Reads, ReadBytes: gained.ReadBytes}}, {writes, Amount{Writes: gained.Writes, WrittenBytes: gained.WrittenBytes}}} {
		weights := make([]float64, len(s.parts))
		var sum float64
		for _, a := range by.samples {
			from, to := s.covers(a)
			for i := from; i <= to; i++ {
				weights[i] += float64(a.cells) / float64(to-from+1)
			}
			sum += float64(a.cells)
		}
		if sum == 0 {
			continue
		}
		for i, w := range weights {
			if w > 0 {
				add(s.parts[i].Range, by.amount.times(w/sum))
			}
		}
		rest.add(by.amount.times(-1))
	}
	if rest != (Amount{}) {
		add(s.whole, rest)
	}
}

// count counts who asks.
func (s *spot) count(all []*access, shape func(string) string, now time.Time) {
	for _, a := range all {
		from, to := s.covers(a)
		for i := from; i <= to; i++ {
			s.parts[i].tally.add(callerOf(a, shape), float64(a.cells)/float64(to-from+1), now)
		}
	}
}

// refine cuts the parts that have most samples, as often as allowed, and gives how often it did.
func (s *spot) refine(all []*access, allowed int) (cuts int) {
	points := make([][]byte, 0, len(all))
	for _, a := range all {
		if a.point {
			points = append(points, a.from)
		}
	}
	slices.SortFunc(points, bytes.Compare)
	for cuts < min(allowed, cutsALook) && s.refineOnce(points) {
		cuts++
	}
	return cuts
}

// refineOnce cuts the part that has most of the points, which are sorted.
func (s *spot) refineOnce(points [][]byte) bool {
	within := s.split(points)
	most := 0
	for i := range within {
		if len(within[i]) > len(within[most]) {
			most = i
		}
	}
	at := cutOf(within[most], s.parts[most].Range)
	if len(within[most]) < max(cutPoints, len(points)/cutPortion) || at == nil {
		return false
	}
	if len(s.cuts) >= maxCuts && !s.join(within, len(points)/(maxCuts+1)) {
		return false
	}
	s.cut(at)
	return true
}

// split are the points of each part.
func (s *spot) split(points [][]byte) [][][]byte {
	out := make([][][]byte, len(s.parts))
	for _, p := range points {
		i := s.index(p)
		out[i] = append(out[i], p)
	}
	return out
}

// cutOf is where a part is cut: at the median of its points, or behind it where the part begins there; nil where that
// cuts nothing off.
func cutOf(points [][]byte, of *Range) []byte {
	if len(points) == 0 {
		return nil
	}
	at := points[len(points)/2]
	if bytes.Compare(at, of.Start) <= 0 {
		if len(at) >= maxRow {
			return nil // of a row that was cut short nobody knows what is behind it
		}
		at = append(bytes.Clone(at), 0)
	}
	if bytes.Compare(at, of.Start) <= 0 || len(of.End) > 0 && bytes.Compare(at, of.End) >= 0 {
		return nil
	}
	return bytes.Clone(at)
}

// cut cuts the part that a row is in.
func (s *spot) cut(row []byte) {
	i := s.index(row)
	was := s.parts[i]
	s.cuts = slices.Insert(s.cuts, i, row)
	s.parts = slices.Replace(s.parts, i, i+1, part{s.whole.between(was.Start, row), was.tally.half()},
		part{s.whole.between(row, was.End), was.tally.half()})
}

// join joins the two neighbours that have the fewest points, unless these are more than most.
func (s *spot) join(within [][][]byte, most int) bool {
	at, fewest := -1, most+1
	for i := range s.cuts {
		if n := len(within[i]) + len(within[i+1]); n < fewest {
			at, fewest = i, n
		}
	}
	if at < 0 {
		return false
	}
	a, b := s.parts[at], s.parts[at+1]
	a.tally.join(&b.tally)
	s.cuts = slices.Delete(s.cuts, at, at+1)
	s.parts = slices.Replace(s.parts, at, at+2, part{s.whole.between(a.Start, b.End), a.tally})
	return true
}

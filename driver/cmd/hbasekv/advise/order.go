package advise

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// writeOrder says how the order of writes relates to the order of keys.
type writeOrder struct {
	// enough says that the sample has enough rows and times to judge.
	enough bool
	// correlation is Spearman's, between the order of keys and that of times.
	correlation float64
	// last and first are the shares of the newest rows in the last and the
	// first tenth of the keys.
	last, first float64
	// since is the smallest T of the newest rows, span the time from the first
	// to the last T.
	since int64
	span  time.Duration
	// times is the form of the times with which keys begin, empty if there are
	// none. current says that they reach to about the newest T.
	times   keyTime
	current bool
	// loaded says that T is only the time of a load, so that times are from the
	// keys.
	loaded bool
}

// newestShare is the share of the rows that counts as newest.
const newestShare = 0.05

// Fewer rows than fewRows, or times than fewTimes, are too few to judge.
const (
	fewRows  = 200
	fewTimes = 20
)

// judgeOrder compares the order of keys with that of times.
func judgeOrder(t *advisedTable) writeOrder {
	var o writeOrder
	rows := t.sample.byTime()
	if len(rows) == 0 {
		return o
	}
	o.span = spanOf(rows)
	o.times, o.current = timesOf(t.sample.rows, rows[len(rows)-1].newest)
	if o.loaded = o.times.name != "" && o.span < loadSpan; o.loaded {
		t.sample.timeByKey(o.times)
		rows = t.sample.byTime()
	}
	o.since = rows[len(rows)-max(1, int(newestShare*float64(len(rows))))].newest
	o.enough = len(rows) >= fewRows && distinctTimes(rows) >= fewTimes
	if !o.enough {
		return o
	}
	o.correlation = correlate(t.sample.rows)
	newest, last, first := 0, 0, 0
	for i, r := range t.sample.rows {
		if r.newest < o.since {
			continue
		}
		newest++
		if i >= len(rows)*9/10 {
			last++
		}
		if i < len(rows)/10 {
			first++
		}
	}
	o.last, o.first = float64(last)/float64(newest), float64(first)/float64(newest)
	return o
}

// spanOf is the time from the oldest to the newest row; T may be any number.
func spanOf(byTime []sampledRow) time.Duration {
	millis := float64(byTime[len(byTime)-1].newest) - float64(byTime[0].newest)
	return time.Duration(min(millis, float64(math.MaxInt64/int64(2*time.Millisecond)))) * time.Millisecond
}

// timeByKey uses the times in the keys as those of the rows.
func (s *sample) timeByKey(form keyTime) {
	for i := range s.rows {
		at, _ := form.read(s.rows[i].key)
		s.rows[i].newest = at.UnixMilli()
	}
}

func distinctTimes(byTime []sampledRow) int {
	n := 1
	for i := 1; i < len(byTime); i++ {
		if byTime[i].newest != byTime[i-1].newest {
			n++
		}
	}
	return n
}

// correlate is the correlation of ranks (Spearman's) by key and by time; rows of
// the same time share their rank. The rows are in the order of keys.
func correlate(rows []sampledRow) float64 {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rows[a].newest, rows[b].newest) })
	rank := make([]float64, len(rows))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && rows[order[j]].newest == rows[order[i]].newest {
			j++
		}
		for k := i; k < j; k++ {
			rank[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return pearson(rank)
}

// pearson is the correlation of the values with their indexes.
func pearson(values []float64) float64 {
	n := float64(len(values))
	mean, sum := (n-1)/2, 0.0
	for _, v := range values {
		sum += v
	}
	var both, x, y float64
	for i, v := range values {
		dx, dy := float64(i)-mean, v-sum/n
		both, x, y = both+dx*dy, x+dx*dx, y+dy*dy
	}
	if x == 0 || y == 0 {
		return 0
	}
	return both / math.Sqrt(x*y)
}

// monotonic reports whether the newest rows are at one end of the keys.
func (o *writeOrder) monotonic() bool { return o.enough && max(o.last, o.first) >= 0.8 }

// A load in the order of keys looks like writes in that order, but happens at
// once: the span of T distinguishes it from rows that are written over time.
const loadSpan = time.Hour

// grows reports whether new rows will come at one end of the keys.
func (o *writeOrder) grows() bool {
	return o.monotonic() && o.span >= loadSpan || o.times.name != "" && o.current
}

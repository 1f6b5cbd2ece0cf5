package heat

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/sample"
	"github.com/hbasekv/hbasekv/sqlfront"
)

// The times of the record.
const (
	Every      = 5 * time.Second // how often the counters are looked at
	Fine       = time.Minute
	Coarse     = 10 * time.Minute
	fineKept   = 24 * time.Hour
	coarseKept = 7 * 24 * time.Hour
	statsEvery = 10 * time.Minute // how often the mean sizes of cells are asked for
)

// Recorder keeps what is asked of a store's tables. It may be used by many goroutines.
type Recorder struct {
	store   kv.Store
	loads   kv.LoadReader // nil where the store does not count
	teller  sample.Teller // nil where the store tells of no samples
	samples samples

	mu     sync.Mutex
	tables map[uint64]*table
	asked  time.Time // when the sizes of cells were asked for
	cuts   float64   // that are allowed now
	looked time.Time
	fine   series
	coarse series
	begun  time.Time
}

// New makes a Recorder of a store, which records nothing before Run.
func New(store kv.Store) *Recorder {
	r := &Recorder{store: store, tables: map[uint64]*table{}, cuts: cutsBurst,
		fine: series{step: Fine, kept: fineKept}, coarse: series{step: Coarse, kept: coarseKept}}
	r.loads, _ = store.(kv.LoadReader)
	r.teller, _ = store.(sample.Teller)
	return r
}

// Counts reports whether the store counts what is asked of its partitions.
func (r *Recorder) Counts() bool { return r.loads != nil }

// Samples reports whether the store tells of samples: without them there are no ranges within partitions, and nobody
// knows which statements ask.
func (r *Recorder) Samples() bool { return r.teller != nil }

// Run records until ctx ends.
func (r *Recorder) Run(ctx context.Context) {
	if r.loads == nil {
		return
	}
	if r.teller != nil {
		defer r.teller.TellSamples(nil)
	}
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	for now := time.Now(); ; {
		r.Look(ctx, now)
		select {
		case <-ctx.Done():
			return
		case now = <-ticker.C:
		}
	}
}

// Look records what the counters have gained since the last call, and has the store tell of samples. A store that does
// not answer is looked at again the next time.
func (r *Recorder) Look(ctx context.Context, now time.Time) {
	if r.loads == nil {
		return
	}
	if r.teller != nil {
		r.teller.TellSamples(r.samples.take) // which a store that was opened anew does not know yet
	}
	catalog, err := r.store.Catalog(ctx)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &look{Recorder: r, ctx: ctx, now: now, samples: byPlace(r.samples.drain()), shapes: map[string]string{}}
	if r.begun.IsZero() {
		r.begun, l.first = now, true
	}
	r.cuts = min(cutsBurst, r.cuts+float64(now.Sub(r.looked))/float64(cutsEvery))
	r.looked = now
	if l.sized = now.Sub(r.asked) >= statsEvery; l.sized {
		r.asked = now
	}
	found := map[uint64]bool{}
	for t := range catalog.EveryTable() {
		if t.IndexOf == 0 {
			found[t.ID] = true
			l.table(t)
		}
	}
	for id := range r.tables {
		if !found[id] {
			delete(r.tables, id) // its history stays
		}
	}
	r.fine.trim(now)
	r.coarse.trim(now)
}

// look is one look at the counters.
type look struct {
	*Recorder
	ctx     context.Context
	now     time.Time
	first   bool
	sized   bool // the sizes of cells are asked for
	samples map[place][]*access
	shapes  map[string]string
}

// table records one table.
func (l *look) table(t *kv.Table) {
	is := l.tables[t.ID]
	if is == nil {
		is = &table{}
		l.tables[t.ID] = is
	}
	is.become(t)
	loads := l.loads.TableLoads(t)
	var busy bool
	for leaf := range min(len(loads), len(is.leaves)) {
		on := &is.leaves[leaf]
		gained := on.gain(loads[leaf])
		if known := on.known; !known {
			if on.known = true; l.first {
				continue
			}
		}
		if gained == (kv.PartitionLoad{}) {
			on.rest(l.now)
			continue
		}
		busy = true
		l.leaf(t, leaf, on, gained)
	}
	if busy && l.sized {
		l.measure(t, is)
	}
}

// leaf records what one partition has gained.
func (l *look) leaf(t *kv.Table, leaf int, on *leafState, gained kv.PartitionLoad) {
	if on.spot == nil {
		on.spot = &spot{}
		on.spot.whole = rangeOf(t, leaf, on.spot)
	}
	s := on.spot
	s.used = l.now
	reads, writes, mean := float64(gained.Reads), float64(gained.Writes), float64(on.mean)
	amount := Amount{Reads: reads, Writes: writes, ReadBytes: reads * mean, WrittenBytes: writes * mean}
	samples := l.samples[place{t.ID, leaf}]
	if len(samples) == 0 || samples[0].leaves != len(l.tables[t.ID].leaves) { // told before the table was cut otherwise
		l.add(s.whole, amount)
		return
	}
	if len(s.parts) == 0 {
		s.parts = []part{{Range: s.whole}}
	}
	s.count(samples, l.shape, l.now)
	var read, written []*access
	for _, a := range samples {
		if a.write {
			written = append(written, a)
		} else {
			read = append(read, a)
		}
	}
	s.share(amount, read, written, l.add)
	l.cuts -= float64(s.refine(samples, int(l.cuts)))
}

func (l *look) add(of *Range, load Amount) {
	l.fine.add(l.now, of, load)
	l.coarse.add(l.now, of, load)
}

// shape is the shape of a statement, which is worked out once a look.
func (l *look) shape(text string) string {
	if text == "" {
		return ""
	}
	found, ok := l.shapes[text]
	if !ok {
		found = sqlfront.Shape(text)
		found = strings.Clone(found[:min(len(found), maxShape)])
		l.shapes[text] = found
	}
	return found
}

// maxShape is how many bytes of a shape are kept.
const maxShape = 300

// measure asks for the mean sizes of a table's cells, which turn cells into bytes.
func (l *look) measure(t *kv.Table, is *table) {
	stats, ok := l.store.(kv.StatsReader)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(l.ctx, time.Second)
	defer cancel()
	all, err := stats.TableStats(ctx, t, false)
	if err != nil {
		return // bytes stay as they were
	}
	for leaf := range min(len(all), len(is.leaves)) {
		if s := &all[leaf]; s.Cells > 0 {
			is.leaves[leaf].mean = float32(s.Bytes) / float32(s.Cells)
		}
	}
}

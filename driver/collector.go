package driver

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// Collector exports the figures of db's store, of all its users, to Prometheus;
// docs/metrics.md lists them. The first scrape opens the store if it is not open yet.
// If one process has several stores, give each collector labels of its own: see
// prometheus.WrapRegistererWith.
func Collector(db *sql.DB) prometheus.Collector { return &collector{db: db} }

// collector is unchecked, because the figures depend on the store.
type collector struct {
	db *sql.DB
	mu sync.Mutex
	of *Sessions // nil before the first scrape
}

// scrapeTime is how long a scrape may take to get the figures.
const scrapeTime = 5 * time.Second

// prefix begins every metric's name.
const prefix = "hbasekv_"

func (c *collector) Describe(chan<- *prometheus.Desc) {}

func (c *collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	s := &scrape{out: out}
	sessions, err := c.sessions(ctx)
	if err == nil {
		err = s.all(ctx, sessions)
	}
	if err != nil {
		out <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
	}
}

func (c *collector) sessions(ctx context.Context) (*Sessions, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != nil {
		return c.of, nil
	}
	var err error
	c.of, err = SessionsOf(ctx, c.db)
	return c.of, err
}

// scrape sends the figures of one scrape.
type scrape struct{ out chan<- prometheus.Metric }

func (s *scrape) all(ctx context.Context, of *Sessions) error {
	engine, store, err := of.connector.opened()
	if err != nil {
		return err
	}
	s.engine(engine.Counts())
	s.wire(engine.Wire())
	measured, ok := store.(kv.Measured)
	if !ok {
		return nil
	}
	figures, err := measured.Figures(ctx)
	if err != nil {
		return fmt.Errorf("hbasekv: figures of the store: %w", userError(err))
	}
	for i := range figures {
		s.figure(&figures[i])
	}
	return nil
}

func (s *scrape) give(name, help string, value float64, labels ...string) {
	kind := prometheus.GaugeValue
	if isCounter(name) {
		kind = prometheus.CounterValue
	}
	names, values := make([]string, 0, 3), make([]string, 0, 3)
	for i := 0; i < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	s.out <- prometheus.MustNewConstMetric(prometheus.NewDesc(prefix+name, help, names, nil), kind, value, values...)
}

func isCounter(name string) bool { return len(name) > 6 && name[len(name)-6:] == "_total" }

func (s *scrape) figure(f *kv.Figure) {
	labels := make([]string, 0, 6)
	for _, l := range f.Labels {
		labels = append(labels, l.Name, l.Value)
	}
	s.give("store_"+f.Name, f.Help, f.Value, labels...)
}

func (s *scrape) engine(c metrics.Counts) {
	for i := range c.Statements {
		s.statements(&c.Statements[i])
	}
	s.give("slow_statements_total", "Statements that took longer than long_query_time.", float64(c.Slow))
	s.give("statement_retries_total", "Times that a statement was repeated after a conflict with another transaction.", float64(c.Retries))
	s.give("plan_cache_hits_total", "Statements over tables whose plan was in the cache.", float64(c.PlansHit))
	s.give("plan_cache_misses_total", "Statements over tables that were planned.", float64(c.PlansMade))
	s.give("sessions", "Open sessions, including those of the process itself.", float64(c.Sessions))
	s.give("running_statements", "Sessions that are running a statement.", float64(c.Running))
	s.give("prepared_statements", "Prepared statements of clients.", float64(c.Prepared))
	s.give("open_transactions", "Open transactions.", float64(c.Transactions))
	s.give("lock_waiting_transactions", "Transactions that wait for a row lock.", float64(c.LockWaits))
	s.give("spills_total", "Sorts, groups and joins that were spilled to temporary files.", float64(c.SpilledParts))
	s.give("spill_files_total", "Temporary files created.", float64(c.SpillFiles))
	s.give("spilled_bytes_total", "Bytes written to temporary files.", float64(c.SpilledBytes))
	s.give("uptime_seconds", "Time since the store was opened.", c.Uptime.Seconds())
}

var bounds = func() (out [len(metrics.LatencyBounds)]float64) {
	for i, d := range metrics.LatencyBounds {
		out[i] = d.Seconds()
	}
	return out
}()

var latency = prometheus.NewDesc(prefix+"statement_duration_seconds",
	"Time that statements took, from their start until their last row was read.", []string{"kind"}, nil)

func (s *scrape) statements(c *metrics.StatementCounts) {
	kind := c.Kind.String()
	for _, o := range metrics.Outcomes() {
		s.give("statements_total", "Statements that ended.", float64(c.Outcomes[o]), "kind", kind, "outcome", o.String())
	}
	buckets, n := make(map[float64]uint64, len(bounds)), uint64(0)
	for i, bound := range bounds {
		n += c.Latency[i]
		buckets[bound] = n
	}
	n += c.Latency[len(bounds)]
	s.out <- prometheus.MustNewConstHistogram(latency, n, c.Took.Seconds(), buckets, kind)
	s.give("rows_given_total", "Rows of result sets.", float64(c.RowsGiven), "kind", kind)
	s.give("rows_changed_total", "Rows that statements inserted, changed or deleted, as reported to the client.",
		float64(c.RowsChanged), "kind", kind)
	s.give("cells_read_total", "Versions of cells that statements read.", float64(c.Cells), "kind", kind)
	s.give("seeks_total", "Repositionings in the store.", float64(c.Seeks), "kind", kind)
	s.give("partitions_read_total", "Partitions that statements opened.", float64(c.Partitions), "kind", kind)
}

func (s *scrape) wire(w *metrics.Wire) {
	s.give("connections", "Clients that are connected to the server.", float64(w.Open.Load()))
	s.give("connections_accepted_total", "Clients that have connected.", float64(w.Accepted.Load()))
	s.give("connections_refused_total", "Clients refused because of the connection limit.", float64(w.Refused.Load()))
	s.give("connections_aborted_total", "Clients whose login failed or was aborted.", float64(w.Aborted.Load()))
	s.give("session_panics_total", "Sessions ended by a panic.", float64(w.Panics.Load()))
	s.give("received_bytes_total", "Bytes that clients sent.", float64(w.Received.Load()))
	s.give("sent_bytes_total", "Bytes that were sent to clients.", float64(w.Sent.Load()))
}

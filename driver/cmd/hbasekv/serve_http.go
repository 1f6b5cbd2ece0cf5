package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hbasekv/hbasekv/driver"
)

// readyTime is how long the store may take to answer /readyz.
const readyTime = 2 * time.Second

// startHTTP answers on the address --http until the function that it gives is called,
// ready until ctx ends.
func (c *serveCommand) startHTTP(ctx context.Context, db *sql.DB) (stop func(), err error) {
	if c.http == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", c.http)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(c.out, "hbasekv: metrics on http://%s/metrics\n", l.Addr())
	server := &http.Server{Handler: c.httpHandler(ctx, db), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelWarn)}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error("http", "error", err)
		}
	}()
	return func() { server.Close() }, nil
}

func (c *serveCommand) httpHandler(ctx context.Context, db *sql.DB) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(driver.Collector(db), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := ready(ctx, r.Context(), db); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	if c.pprof {
		addPprof(mux)
	}
	return mux
}

// ready is why no client should come now, or nil: the server is about to end, or the
// store does not answer.
func ready(serving, asked context.Context, db *sql.DB) error {
	if serving.Err() != nil {
		return errors.New("the server is about to end")
	}
	ctx, cancel := context.WithTimeout(asked, readyTime)
	defer cancel()
	var n int
	return db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.SCHEMATA").Scan(&n)
}

func addPprof(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}

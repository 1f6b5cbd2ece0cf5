package pebblekv

import "github.com/hbasekv/hbasekv/kv"

// Health implements kv.HealthReader.
func (s *Store) Health() kv.Health {
	if s.opts.ReadOnly || s.engine.Closed.Load() {
		return kv.Health{}
	}
	return kv.Health{Err: s.accepts()}
}

func healthFigures(h kv.Health) []kv.Figure {
	refused := 0
	if h.Err != nil {
		refused = 1
	}
	return []kv.Figure{
		figure("writes_refused", "1 while writes are refused because of a fault of the disk, else 0.", refused),
		figure("failures_total", "Faults of the disk after which the store had to be opened again.", h.Failures),
		figure("reopened_total", "How often it opened itself again.", h.Reopened),
	}
}

package client

import (
	"sync"
	"time"
)

const (
	// FirstDelay is how long the answer to a client's first failed login is
	// delayed. It doubles with each further one, up to lastDelay.
	FirstDelay = 100 * time.Millisecond
	lastDelay  = 5 * time.Second
	// forgiven is the time after which failures are forgotten.
	forgiven = 10 * time.Minute
	// maxThrottled is the maximum number of hosts that are remembered.
	maxThrottled = 4096
)

// Throttle delays the failed logins of hosts; First is the first delay. Many goroutines may use
// it.
type Throttle struct {
	First time.Duration
	mu    sync.Mutex
	hosts map[string]failures
}

type failures struct {
	count int
	last  time.Time
}

// Failed counts a failed login and returns how long to delay its answer.
func (t *Throttle) Failed(host string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hosts == nil || len(t.hosts) >= maxThrottled {
		t.hosts = map[string]failures{}
	}
	f := t.hosts[host]
	if now.Sub(f.last) > forgiven {
		f.count = 0
	}
	delay := min(t.First<<min(f.count, 16), lastDelay)
	t.hosts[host] = failures{f.count + 1, now}
	return delay
}

// Succeeded forgets the host's failures.
func (t *Throttle) Succeeded(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.hosts, host)
}

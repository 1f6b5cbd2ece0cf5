package client

import (
	"sync"
	"time"
)

const (
	// FirstDelay is what a client waits for the answer to its first failed login,
	// and twice that for each further one, up to lastDelay.
	FirstDelay = 100 * time.Millisecond
	lastDelay  = 5 * time.Second
	// forgiven is when failures are forgotten.
	forgiven = 10 * time.Minute
	// maxThrottled is how many hosts are remembered.
	maxThrottled = 4096
)

// Throttle delays the failed logins of hosts, from First on. It may be used by many goroutines.
type Throttle struct {
	First time.Duration
	mu    sync.Mutex
	hosts map[string]failures
}

type failures struct {
	count int
	last  time.Time
}

// Failed counts a failed login and says how long its answer is to wait.
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

// Succeeded forgives the host's failures.
func (t *Throttle) Succeeded(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.hosts, host)
}

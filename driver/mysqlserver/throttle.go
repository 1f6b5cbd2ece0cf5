package mysqlserver

import (
	"sync"
	"time"
)

const (
	// firstDelay is what a client waits for the answer to its first failed login,
	// and twice that for each further one, up to lastDelay.
	firstDelay = 100 * time.Millisecond
	lastDelay  = 5 * time.Second
	// forgiven is when failures are forgotten.
	forgiven = 10 * time.Minute
	// maxThrottled is how many hosts are remembered.
	maxThrottled = 4096
)

// throttle delays the failed logins of hosts.
type throttle struct {
	first time.Duration
	mu    sync.Mutex
	hosts map[string]failures
}

type failures struct {
	count int
	last  time.Time
}

// failed counts a failed login and says how long its answer is to wait.
func (t *throttle) failed(host string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hosts == nil || len(t.hosts) >= maxThrottled {
		t.hosts = map[string]failures{}
	}
	f := t.hosts[host]
	if now.Sub(f.last) > forgiven {
		f.count = 0
	}
	delay := min(t.first<<min(f.count, 16), lastDelay)
	t.hosts[host] = failures{f.count + 1, now}
	return delay
}

// succeeded forgives the host's failures.
func (t *throttle) succeeded(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.hosts, host)
}

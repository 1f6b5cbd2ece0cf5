package rpc

import "time"

// deadline is the deadline of a connection's reads, or of its writes.
type deadline struct {
	since   time.Time // when it was set
	timeout time.Duration
}

// renew calls set with the moment that is timeout from now. It does nothing if the last deadline had the same timeout and
// was set less than an eighth of the timeout ago: setting one takes a lock and changes a timer, and calls are short.
func (d *deadline) renew(timeout time.Duration, set func(time.Time) error) error {
	now := time.Now()
	if timeout == d.timeout && now.Sub(d.since) < timeout/8 {
		return nil
	}
	d.since, d.timeout = now, timeout
	return set(now.Add(timeout))
}

package rpc

import "sync"

// calls are the running calls of a connection.
type calls struct {
	mu      sync.Mutex
	changed sync.Cond
	under   int   // running, or their responses have not been sent
	made    int   // of these, those whose responses are ready
	unsent  int64 // bytes of these responses
	size    int64 // roughly the largest response of late; 0 before the first
}

// firstCalls is how many calls run at once before the length of their responses is known.
const firstCalls = 8

func newCalls() *calls {
	c := &calls{}
	c.changed.L = &c.mu
	return c
}

// begin waits until there is room for one more call and, by estimate, for its response. alone is true if no
// other call is running.
func (c *calls) begin(l *Limits) (alone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.under > 0 && !c.room(l) {
		c.changed.Wait()
	}
	c.under++
	return c.under == 1
}

func (c *calls) room(l *Limits) bool {
	doing := c.under - c.made
	return c.under < l.MaxCalls && c.unsent+int64(doing+1)*c.size <= l.MaxAnswers && (c.size > 0 || doing < firstCalls)
}

// answered records that a response is ready.
func (c *calls) answered(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	c.unsent += int64(bytes)
	c.size = max(int64(bytes), c.size-c.size/8, 1)
}

// end is called after each call, when its response was sent or cannot be sent.
func (c *calls) end(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.under--
	c.made--
	c.unsent -= int64(bytes)
	c.changed.Broadcast()
}

// any reports whether a call is running.
func (c *calls) any() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.under > 0
}

// wait waits until no call is running.
func (c *calls) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.under > 0 {
		c.changed.Wait()
	}
}

package rpc

import "sync"

// calls are those of a connection that are under way.
type calls struct {
	mu      sync.Mutex
	changed sync.Cond
	under   int   // they are being done, or their answers have not been taken
	made    int   // of these, those whose answers are there
	unsent  int64 // bytes of these answers
	size    int64 // about that of the largest answer lately; 0 before the first
}

// firstCalls is how many are done at once before it is known how long their answers are.
const firstCalls = 8

func newCalls() *calls {
	c := &calls{}
	c.changed.L = &c.mu
	return c
}

// begin waits until there is room for one more call and, as far as can be told, for its answer. alone is true where no
// other call is under way.
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

// answered tells of an answer that is there.
func (c *calls) answered(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	c.unsent += int64(bytes)
	c.size = max(int64(bytes), c.size-c.size/8, 1)
}

// end is behind each call, whose answer has been taken, or cannot be sent.
func (c *calls) end(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.under--
	c.made--
	c.unsent -= int64(bytes)
	c.changed.Broadcast()
}

// any reports whether a call is under way.
func (c *calls) any() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.under > 0
}

// wait waits until none is.
func (c *calls) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.under > 0 {
		c.changed.Wait()
	}
}

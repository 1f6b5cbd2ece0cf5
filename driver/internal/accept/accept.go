// Package accept takes the clients of a listener in, as every server of this project does.
package accept

import (
	"context"
	"errors"
	"net"
	"time"
)

// Each calls start with each connection that a listener accepts. It returns nil when ctx ends, and the
// listener's error when the listener is closed. For other errors, such as too many open files, it calls
// failed and tries again after the time that it passes, up to a second.
func Each(ctx context.Context, l net.Listener, start func(net.Conn), failed func(err error, again time.Duration)) error {
	for pause := time.Duration(0); ; {
		c, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if c != nil {
				c.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil:
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			failed(err, pause)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
			continue
		}
		pause = 0
		start(c)
	}
}

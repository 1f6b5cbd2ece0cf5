// Package accept takes the clients of a listener in, as every server of this project does.
package accept

import (
	"context"
	"errors"
	"net"
	"time"
)

// Each calls start with each connection that a listener accepts, until ctx ends, which is no error, or
// the listener is closed, whose error it returns. Of other errors, such as too many open files, failed is
// told, and after how long it tries again: up to a second.
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

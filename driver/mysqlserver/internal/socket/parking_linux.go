package socket

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Parking is where goroutines wait for sockets that have been idle for a while:
// an epoll of its own, which Go's poller watches as a whole.
type Parking struct {
	fd   int
	file *os.File
	raw  syscall.RawConn

	mu      sync.Mutex
	sockets map[int32]*socket // by descriptor
}

func NewParking() (*Parking, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // otherwise os.File does not use the poller
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	p := &Parking{fd: fd, file: os.NewFile(uintptr(fd), "epoll"), sockets: map[int32]*socket{}}
	if p.raw, err = p.file.SyscallConn(); err != nil {
		p.file.Close()
		return nil, err
	}
	go p.run()
	return p, nil
}

// Close ends the parking. No socket may be waiting.
func (p *Parking) Close() { p.file.Close() }

// run wakes the goroutines whose sockets are ready, until Close.
func (p *Parking) run() {
	events := make([]unix.EpollEvent, 128)
	_ = p.raw.Read(func(fd uintptr) (closed bool) {
		for {
			n, err := unix.EpollWait(int(fd), events, 0)
			if err != nil && err != unix.EINTR {
				return true
			}
			if n <= 0 {
				return false
			}
			p.wake(events[:n])
		}
	})
}

func (p *Parking) wake(ready []unix.EpollEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range ready {
		if s := p.sockets[ready[i].Fd]; s != nil {
			s.wake()
		}
	}
}

// park requests one wake-up of the socket's goroutine.
func (p *Parking) park(s *socket, events uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	how := unix.EPOLL_CTL_MOD
	if !s.listed {
		how, s.listed = unix.EPOLL_CTL_ADD, true
		p.mu.Lock()
		p.sockets[int32(s.fd)] = s
		p.mu.Unlock()
	}
	err := unix.EpollCtl(p.fd, how, s.fd, &unix.EpollEvent{Fd: int32(s.fd), Events: events | unix.EPOLLONESHOT})
	return os.NewSyscallError("epoll_ctl", err)
}

// forget is called before the descriptor is closed.
func (p *Parking) forget(s *socket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sockets, int32(s.fd))
}

package dirlock

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
)

// HolderFile is the file beside the lock that says which process has the store open, for those who
// find it locked. Problems with it keep nobody from opening the store: if it cannot be written, the
// lock alone says that the store is held, and what a killed process has left is recognised by the
// number of the process that has the lock.
const HolderFile = "HOLDER"

// holder is what this process writes there.
type holder struct {
	path string // empty if the store has no files

	mu  sync.Mutex
	now kv.Holder
}

// hold sets what this process will write once it has opened the store.
func (l *Lock) hold() {
	since := time.Now().UTC().Truncate(time.Second)
	l.holder.now = kv.Holder{PID: os.Getpid(), Program: filepath.Base(os.Args[0]), Since: since}
	if vfs.Root(l.fs) == vfs.Default {
		l.holder.path = l.fs.PathJoin(l.dir, HolderFile)
	}
}

// Arrive writes the file for the first time.
func (l *Lock) Arrive() {
	l.holder.mu.Lock()
	defer l.holder.mu.Unlock()
	l.holder.write()
}

// write replaces the file. The mutex is held.
func (h *holder) write() {
	text, err := json.Marshal(h.now)
	if err != nil || h.path == "" {
		return
	}
	const begun = ".tmp"
	if os.WriteFile(h.path+begun, append(text, '\n'), 0o600) != nil || os.Rename(h.path+begun, h.path) != nil {
		_ = os.Remove(h.path + begun)
	}
}

// Announce adds an address at which the store is served, until withdraw is called.
func (l *Lock) Announce(a kv.Address) (withdraw func()) {
	h := &l.holder
	h.change(func(all []kv.Address) []kv.Address { return append(all, a) })
	return func() {
		h.change(func(all []kv.Address) []kv.Address {
			if i := slices.Index(all, a); i >= 0 {
				return slices.Delete(all, i, i+1)
			}
			return all
		})
	}
}

func (h *holder) change(addresses func([]kv.Address) []kv.Address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Addresses = addresses(h.now.Addresses)
	h.write()
}

// leave removes the file while the lock is still held.
func (h *holder) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.path != "" {
		_ = os.Remove(h.path)
	}
	h.path = ""
}

// held returns the error for a store that another process has open.
func held(disk vfs.FS, dir string) error {
	e := &kv.HeldError{Dir: dir}
	if vfs.Root(disk) != vfs.Default {
		return e
	}
	text, err := os.ReadFile(disk.PathJoin(dir, HolderFile))
	if err != nil || json.Unmarshal(text, &e.Holder) != nil {
		e.Holder = kv.Holder{}
	}
	if pid := lockedBy(disk.PathJoin(dir, LockFile)); pid != 0 && pid != e.PID {
		e.Holder = kv.Holder{PID: pid}
	}
	return e
}

// LockFile is Pebble's lock file.
const LockFile = "LOCK"

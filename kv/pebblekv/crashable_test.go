package pebblekv

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// crashable is a crashable MemFS of which no clone is made while a file is linked or reused: both take the lock
// that a clone waits for twice, so that a clone between the two would wait for ever, and they for it.
type crashable struct {
	*vfs.MemFS
	links sync.RWMutex // held for reading while a file is linked or reused
}

func newCrashable() *crashable { return &crashable{MemFS: vfs.NewCrashableMem()} }

func (fs *crashable) Link(oldname, newname string) error {
	fs.links.RLock()
	defer fs.links.RUnlock()
	return fs.MemFS.Link(oldname, newname)
}

func (fs *crashable) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	fs.links.RLock()
	defer fs.links.RUnlock()
	return fs.MemFS.ReuseForWrite(oldname, newname, category)
}

func (fs *crashable) CrashClone(cfg vfs.CrashCloneCfg) *vfs.MemFS {
	fs.links.Lock()
	defer fs.links.Unlock()
	return fs.MemFS.CrashClone(cfg)
}

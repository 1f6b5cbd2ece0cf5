package driver

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// What LOAD DATA LOCAL INFILE may name, as in github.com/go-sql-driver/mysql: it
// is the program's, and so the same for all its databases.
var (
	localMu      sync.RWMutex
	localFiles   = map[string]bool{}
	localReaders = map[string]func() io.Reader{}
)

// RegisterLocalFile allows LOAD DATA LOCAL INFILE to read the file of that name.
// The DSN parameter allowAllFiles allows all.
func RegisterLocalFile(filePath string) {
	localMu.Lock()
	defer localMu.Unlock()
	localFiles[strings.Trim(filePath, `"`)] = true
}

// DeregisterLocalFile takes RegisterLocalFile back.
func DeregisterLocalFile(filePath string) {
	localMu.Lock()
	defer localMu.Unlock()
	delete(localFiles, strings.Trim(filePath, `"`))
}

// RegisterReader makes LOAD DATA LOCAL INFILE 'Reader::name' read what handler
// gives, which is called once for each such statement. A reader that is an
// io.Closer is closed when the statement ends. Its errors come out of the
// statement as they are, and nothing is loaded then. A Read that waits is not
// ended by the statement's context.
func RegisterReader(name string, handler func() io.Reader) {
	localMu.Lock()
	defer localMu.Unlock()
	localReaders[name] = handler
}

// DeregisterReader takes RegisterReader back.
func DeregisterReader(name string) {
	localMu.Lock()
	defer localMu.Unlock()
	delete(localReaders, name)
}

// RegisterReaderHandler is RegisterReader by its name in go-sql-driver/mysql.
func RegisterReaderHandler(name string, handler func() io.Reader) { RegisterReader(name, handler) }

// DeregisterReaderHandler is DeregisterReader by its name in go-sql-driver/mysql.
func DeregisterReaderHandler(name string) { DeregisterReader(name) }

// Local opens a registered reader or a file that is allowed. The errors are
// go-sql-driver's.
func (f *files) Local(name string) (io.ReadCloser, error) {
	const prefix = "Reader::"
	if i := strings.Index(name, prefix); i == 0 || i > 0 && name[i-1] == '/' {
		return localReader(name[i+len(prefix):])
	}
	name = strings.Trim(name, `"`)
	localMu.RLock()
	allowed := f.allowAll || localFiles[name]
	localMu.RUnlock()
	if !allowed {
		return nil, fmt.Errorf("local file '%s' is not registered", name)
	}
	return os.Open(name)
}

func localReader(name string) (io.ReadCloser, error) {
	localMu.RLock()
	handler := localReaders[name]
	localMu.RUnlock()
	if handler == nil {
		return nil, fmt.Errorf("reader '%s' is not registered", name)
	}
	r := handler()
	if r == nil {
		return nil, fmt.Errorf("reader '%s' is <nil>", name)
	}
	if closing, ok := r.(io.ReadCloser); ok {
		return closing, nil
	}
	return io.NopCloser(r), nil
}

package driver

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// The files and readers that LOAD DATA LOCAL INFILE may name. As in
// github.com/go-sql-driver/mysql, all databases of a program share them.
var (
	localMu      sync.RWMutex
	localFiles   = map[string]bool{}
	localReaders = map[string]func() io.Reader{}
)

// RegisterLocalFile allows LOAD DATA LOCAL INFILE to read the file of that name.
// The DSN parameter allowAllFiles allows all files.
func RegisterLocalFile(filePath string) {
	localMu.Lock()
	defer localMu.Unlock()
	localFiles[strings.Trim(filePath, `"`)] = true
}

// DeregisterLocalFile undoes RegisterLocalFile.
func DeregisterLocalFile(filePath string) {
	localMu.Lock()
	defer localMu.Unlock()
	delete(localFiles, strings.Trim(filePath, `"`))
}

// RegisterReader makes LOAD DATA LOCAL INFILE 'Reader::name' read from the
// reader that handler returns; handler is called once for each such statement.
// A reader that is an io.Closer is closed when the statement ends. The
// statement returns the reader's errors unchanged, and then loads nothing. The
// statement's context does not interrupt a Read that blocks.
func RegisterReader(name string, handler func() io.Reader) {
	localMu.Lock()
	defer localMu.Unlock()
	localReaders[name] = handler
}

// DeregisterReader undoes RegisterReader.
func DeregisterReader(name string) {
	localMu.Lock()
	defer localMu.Unlock()
	delete(localReaders, name)
}

// RegisterReaderHandler is RegisterReader, as go-sql-driver/mysql names it.
func RegisterReaderHandler(name string, handler func() io.Reader) { RegisterReader(name, handler) }

// DeregisterReaderHandler is DeregisterReader, as go-sql-driver/mysql names it.
func DeregisterReaderHandler(name string) { DeregisterReader(name) }

// Local opens a registered reader, or a file that is allowed. The errors are
// those of go-sql-driver/mysql.
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

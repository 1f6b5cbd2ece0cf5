package load

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// serverLoad sends cells to a server as the file of one LOAD DATA LOCAL. With REPLACE and a T in
// each row the server writes all of them or none.
type serverLoad struct {
	cfg  *mysql.Config
	conn atomic.Pointer[net.Conn] // the last one that was opened
}

var serverLoads atomic.Int64

// load loads one table. Its error is the source's, if there is one.
func (s *serverLoad) load(ctx context.Context, table string, cells iter.Seq2[driver.Cell, error]) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	from, to := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := writeCells(to, cells)
		if err != nil {
			// The protocol has no other way to say that a file is incomplete: the driver
			// would send an end, and the server would take it for the file's.
			_ = (*s.conn.Load()).Close()
		}
		_ = to.CloseWithError(err)
		written <- err
	}()
	name := "hbasekv" + strconv.FormatInt(serverLoads.Add(1), 10)
	mysql.RegisterReaderHandler(name, func() io.Reader { return from })
	defer mysql.DeregisterReaderHandler(name)
	_, err = conn.ExecContext(ctx, "LOAD DATA LOCAL INFILE 'Reader::"+name+"' REPLACE INTO TABLE "+cli.QuoteName(table)+
		` CHARACTER SET binary FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, T, V)`)
	_ = from.CloseWithError(errStopped)
	if source := <-written; source != nil && !errors.Is(source, errStopped) {
		return source
	}
	return err
}

// open opens a separate connection, which can be closed abruptly.
func (s *serverLoad) open() (*sql.DB, error) {
	cfg := s.cfg.Clone()
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err == nil {
			s.conn.Store(&conn)
		}
		return conn, err
	}
	return cli.OpenServer(cfg)
}

// writeCells writes what LOAD DATA reads: a line per cell.
func writeCells(to io.Writer, cells iter.Seq2[driver.Cell, error]) error {
	w := bufio.NewWriterSize(to, 1<<16)
	for c, err := range cells {
		if err != nil {
			return err
		}
		writeField(w, c.K)
		_ = w.WriteByte('\t')
		writeField(w, c.Q)
		_ = w.WriteByte('\t')
		_, _ = w.Write(append(strconv.AppendInt(w.AvailableBuffer(), c.T, 10), '\t'))
		if c.V == nil {
			_, _ = w.WriteString(`\N`)
		} else {
			writeField(w, c.V)
		}
		if err := w.WriteByte('\n'); err != nil { // it also keeps earlier errors
			return err
		}
	}
	return w.Flush()
}

// writeField writes bytes with a backslash before those that would end the field or the line.
func writeField(w *bufio.Writer, field []byte) {
	for _, b := range field {
		switch b {
		case '\\', '\t', '\n':
			_ = w.WriteByte('\\')
		case 0:
			_, _ = w.WriteString(`\0`)
			continue
		}
		_ = w.WriteByte(b)
	}
}

// bulk writes cells all at once: to a store, or to the server of one.
func (l *loader) bulk(ctx context.Context, cells iter.Seq2[driver.Cell, error]) error {
	if l.server == nil {
		_, err := driver.BulkLoad(ctx, l.db, l.tables, cells)
		return err
	}
	if len(l.tables) != 1 {
		return fmt.Errorf("a server loads one table at a time, and these cells are of %d tables: use --mode batches", len(l.tables))
	}
	return (&serverLoad{cfg: l.server}).load(ctx, l.tables[0], cells)
}

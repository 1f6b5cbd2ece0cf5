package transfer

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash"
	"math/bits"
	"sync"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// digest is a sum of cells' hashes, which does not depend on their order.
type digest [2]uint64

func (d *digest) add(o digest) {
	var carry uint64
	d[0], carry = bits.Add64(d[0], o[0], 0)
	d[1], _ = bits.Add64(d[1], o[1], carry)
}

// digester hashes cells.
type digester struct {
	hash hash.Hash
	head [32]byte
	sum  [sha256.Size]byte
}

func newDigester() *digester { return &digester{hash: sha256.New()} }

// of is the digest of one cell. A nil value is NULL.
func (d *digester) of(k, q []byte, t int64, v []byte) digest {
	head := d.head[:0]
	head = binary.BigEndian.AppendUint64(head, uint64(len(k)))
	head = binary.BigEndian.AppendUint64(head, uint64(len(q)))
	head = binary.BigEndian.AppendUint64(head, uint64(t))
	if v == nil {
		head = append(head, 1)
	}
	d.hash.Reset()
	for _, b := range [][]byte{head, k, q, v} {
		d.hash.Write(b)
	}
	sum := d.hash.Sum(d.sum[:0])
	return digest{binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])}
}

// check reads a table of the destination, and compares its cells with those that were
// copied.
func (c *copier) check(ctx context.Context, table string) error {
	var want, got copyPart
	for _, p := range c.state.Parts {
		if p.Table == table {
			want.Cells += p.Cells
			want.Digest.add(p.Digest)
		}
	}
	_, own, _ := cli.SplitName(table)
	parts, err := partsOf(ctx, c.to, own)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	err = eachAtOnce(c.parallel, parts, func(p *copyPart) error {
		if err := c.digestPart(ctx, p); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		got.Cells += p.Cells
		got.Digest.add(p.Digest)
		return nil
	})
	switch {
	case err != nil:
		return err
	case got.Cells != want.Cells:
		return fmt.Errorf("%s: %s were copied, and the destination has %d: it had some before, keeps fewer versions, or was written meanwhile",
			own, cli.Plural(int(want.Cells), "cell"), got.Cells)
	case got.Digest != want.Digest:
		return fmt.Errorf("%s: the destination has %s, as many as were copied, and not the same ones", own, cli.Plural(int(got.Cells), "cell"))
	}
	return nil
}

// digestPart digests the cells of a part of the destination.
func (c *copier) digestPart(ctx context.Context, p *copyPart) error {
	text, args := p.query("", " FOR SYSTEM_TIME ALL")
	rows, err := c.to.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	d := newDigester()
	var k, q, v sql.RawBytes
	var t int64
	for rows.Next() {
		if err := rows.Scan(&k, &q, &t, &v); err != nil {
			return err
		}
		p.Cells++
		p.Digest.add(d.of(k, q, t, v))
	}
	return rows.Err()
}

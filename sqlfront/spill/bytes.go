package spill

// Bytes keeps bytes to be read repeatedly, in the order of their arrival.
type Bytes struct {
	space   *Space
	account Account
	kept    []byte // the first bytes; nil once they are in the file
	file    *file
	size    int64
}

// NewBytes makes an empty Bytes.
func (s *Space) NewBytes() *Bytes { return &Bytes{space: s, account: s.Account()} }

// Len is the number of bytes.
func (b *Bytes) Len() int64 { return b.size }

// Add adds a copy of the bytes at the end. Its errors are those of [Space]; nothing more can be added or read then.
func (b *Bytes) Add(p []byte) error {
	b.size += int64(len(p))
	if b.file == nil {
		had := cap(b.kept)
		b.kept = append(b.kept, p...)
		if b.account.Grow(cap(b.kept) - had); !b.account.Full() {
			return nil
		}
		return b.spill()
	}
	_, err := b.file.append(p)
	return err
}

// spill writes all bytes to a file; later ones are added there, too.
func (b *Bytes) spill() (err error) {
	if b.file, err = b.space.createPart(); err == nil {
		_, err = b.file.append(b.kept)
	}
	b.kept = nil
	b.account.Release()
	return err
}

// Read reads bytes from a position before the end, and returns how many it has read. Its errors are those of [Space].
func (b *Bytes) Read(p []byte, at int64) (int, error) {
	if b.file == nil {
		return copy(p, b.kept[at:]), nil
	}
	p = p[:min(int64(len(p)), b.size-at)]
	return len(p), b.file.read(p, at)
}

// Close releases memory and the temporary file. It may be called again. Its errors are those of [Space].
func (b *Bytes) Close() error {
	b.account.Release()
	err := b.file.close()
	b.kept, b.file, b.size = nil, nil, 0
	return err
}

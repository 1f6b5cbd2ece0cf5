package spill

// Seen tells keys that are new from those that came before, at once whatever it
// holds: keys that do not fit into memory are looked up in files.
type Seen struct {
	space   *Space
	account Account
	keys    map[string]struct{}
	files   []*Index
}

// NewSeen makes an empty Seen.
func (s *Space) NewSeen() *Seen {
	return &Seen{space: s, account: s.Account(), keys: map[string]struct{}{}}
}

// Spilled reports whether keys are in temporary files.
func (s *Seen) Spilled() bool { return len(s.files) > 0 }

// Add reports whether the key is the first of its kind.
func (s *Seen) Add(key []byte) (bool, error) {
	if _, ok := s.keys[string(key)]; ok {
		return false, nil
	}
	for _, f := range s.files {
		if err := f.Seek(key); err != nil {
			return false, err
		}
		if row, err := f.Next(); row != nil || err != nil {
			return false, err
		}
	}
	s.keys[string(key)] = struct{}{}
	s.account.Grow(len(key) + setOverhead)
	if s.account.Full() {
		return true, s.spill()
	}
	return true, nil
}

// spill moves the keys to a file of their own.
func (s *Seen) spill() error {
	f := s.space.NewIndex()
	s.files = append(s.files, f)
	if err := f.spill(); err != nil {
		return err
	}
	for key := range s.keys {
		if err := f.Add([]byte(key), nil); err != nil {
			return err
		}
	}
	clear(s.keys)
	s.account.Release()
	return f.Seal()
}

// Close gives up the keys. It may be called again.
func (s *Seen) Close() error {
	s.account.Release()
	s.keys = nil
	var first error
	for _, f := range s.files {
		if err := f.Close(); first == nil {
			first = err
		}
	}
	return first
}

package read

import "github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"

// unexpired hides the cells that are gone by a TTL of their own. It stands below what
// counts versions, for which they are not there.
type unexpired struct {
	iterator
	c     *cursor
	fault error
}

func (u *unexpired) seekGE(target []byte, inRow bool) []byte {
	return u.settle(u.iterator.seekGE(target, inRow), u.iterator.next)
}

func (u *unexpired) seekLT(target []byte) []byte {
	return u.settle(u.iterator.seekLT(target), u.iterator.prev)
}

func (u *unexpired) next() []byte { return u.settle(u.iterator.next(), u.iterator.next) }

func (u *unexpired) prev() []byte { return u.settle(u.iterator.prev(), u.iterator.prev) }

// settle goes on by steps to a key whose cell has not expired.
func (u *unexpired) settle(key []byte, step func() []byte) []byte {
	for ; key != nil && !u.c.interrupted(); key = step() {
		stored, err := u.iterator.value()
		if err != nil {
			u.fault = err
			return nil
		}
		if !cellkey.HasExpired(stored, u.c.moment.Now) {
			return key
		}
	}
	return nil
}

func (u *unexpired) err() error {
	if u.fault != nil {
		return u.fault
	}
	return u.iterator.err()
}

package rowlock

// number stands for an owner that holds locks.
type number uint32

// nobody is the number of no owner.
const nobody number = 0

// owners are those that hold locks, by their numbers.
type owners struct {
	all  []*Owner // from number 1; nil where a number is free
	free []number
}

// of returns the owner with the number, nil for nobody.
func (os *owners) of(n number) *Owner {
	if n == nobody {
		return nil
	}
	return os.all[n-1]
}

// enter gives an owner a number.
func (os *owners) enter(o *Owner) {
	if n := len(os.free); n > 0 {
		o.number, os.free = os.free[n-1], os.free[:n-1]
		os.all[o.number-1] = o
		return
	}
	os.all = append(os.all, o)
	o.number = number(len(os.all))
}

// leave frees the number of an owner without locks.
func (os *owners) leave(o *Owner) {
	os.all[o.number-1] = nil
	os.free = append(os.free, o.number)
	o.number = nobody
}

package kv

import (
	"fmt"
	"strings"
	"time"
)

// Holder is the process that has a store open, as far as known.
type Holder struct {
	PID     int       `json:"pid"` // 0 if unknown
	Program string    `json:"program,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Addresses are the addresses at which it serves the store.
	Addresses []Address `json:"addresses,omitempty"`
}

// Address is an address on which a server listens, as in net.Addr: of the network tcp or unix.
type Address struct {
	Network string `json:"network"`
	Address string `json:"address"`
}

// HeldError is ErrLocked with the process that holds the store.
type HeldError struct {
	Dir string
	Holder
}

// Error implements error.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%v: %s%s", ErrLocked, e.Dir, e.Holder.describe())
}

// Unwrap implements errors.Unwrap.
func (e *HeldError) Unwrap() error { return ErrLocked }

func (h Holder) describe() string {
	var b strings.Builder
	if h.PID != 0 {
		fmt.Fprintf(&b, ": process %d", h.PID)
	}
	if h.Program != "" {
		fmt.Fprintf(&b, " (%s)", h.Program)
	}
	if !h.Since.IsZero() {
		fmt.Fprintf(&b, ", since %s", h.Since.Format("2006-01-02 15:04:05 MST"))
	}
	for i, a := range h.Addresses {
		joint := ", and "
		if i == 0 {
			joint = ", which serves it on "
		}
		b.WriteString(joint + a.Network + " " + a.Address)
	}
	return b.String()
}

// Announcer is a Store that tells processes that find it held where it is served.
type Announcer interface {
	// Announce publishes the address until withdraw is called.
	Announce(Address) (withdraw func())
}

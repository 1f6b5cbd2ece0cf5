package shell

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// errPagerLeft says that the reader has left the pager.
var errPagerLeft = errors.New("the pager was left")

// pager is a writer to a terminal that starts a pager program when the output
// is longer or wider than the screen. It keeps at most a screen: when the
// program reads no more, its pipe blocks.
type pager struct {
	out           *os.File
	program       []string // empty: everything goes to out
	width, height int
	head          bytes.Buffer // until it is known whether a pager is needed
	lines         int
	cmd           *exec.Cmd
	pipe          io.WriteCloser
	plain         bool // the rest goes to out
}

// pagerProgram is PAGER or less, with options that do not wrap wide lines,
// which can be scrolled instead; nil if there is none.
func pagerProgram() []string {
	words := strings.Fields(os.Getenv("PAGER"))
	if len(words) == 0 {
		words = []string{"less"}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil
	}
	return words
}

func newPager(out *os.File, program []string) *pager {
	p := &pager{out: out, program: program}
	var err error
	if p.width, p.height, err = term.GetSize(int(out.Fd())); err != nil || len(program) == 0 {
		p.plain = true
	}
	return p
}

func (p *pager) Write(b []byte) (int, error) {
	switch {
	case p.plain:
		return p.out.Write(b)
	case p.pipe != nil:
		n, err := p.pipe.Write(b)
		if errors.Is(err, syscall.EPIPE) {
			err = errPagerLeft
		}
		return n, err
	}
	p.head.Write(b)
	if !p.exceeds(b) {
		return len(b), nil
	}
	return len(b), p.start()
}

// exceeds reports whether the output exceeds the screen.
func (p *pager) exceeds(b []byte) bool {
	for line := range bytes.Lines(b) {
		p.lines++
		if text.StringWidthWithoutEscSequences(strings.TrimRight(string(line), "\n")) > p.width {
			return true
		}
	}
	return p.lines >= p.height-1
}

func (p *pager) start() error {
	p.cmd = exec.Command(p.program[0], p.program[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, os.Stderr
	if os.Getenv("LESS") == "" {
		p.cmd.Env = append(os.Environ(), "LESS=RSX")
	}
	pipe, err := p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil { // continue without a pager
		p.plain = true
		_, err := p.out.Write(p.head.Bytes())
		return err
	}
	p.pipe = pipe
	head := p.head.Bytes()
	p.head = bytes.Buffer{}
	_, err = p.Write(head)
	return err
}

// Close writes what is left and waits for the reader.
func (p *pager) Close() error {
	if p.pipe == nil {
		_, err := p.out.Write(p.head.Bytes())
		return err
	}
	err := errors.Join(ignore(p.pipe.Close(), syscall.EPIPE), p.cmd.Wait())
	var status *exec.ExitError
	if errors.As(err, &status) { // the program has shown why
		return nil
	}
	return err
}

func ignore(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

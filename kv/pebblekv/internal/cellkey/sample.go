package cellkey

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/hbasekv/hbasekv/kv"
)

// sampleProperty names the property of a table file that holds a sample of its
// cells: for each its timestamp and the number of newer versions of its column in
// the file. The name is part of the on-disk format.
const sampleProperty = "hbasekv.sample"

// Sampled is a cell of a sample.
type Sampled struct {
	Timestamp int64
	Newer     uint64 // versions of its column in the same file
}

// maxSample is the largest sample; in large files a sample has more than half of that.
const maxSample = 64

// sampler takes every stride-th cell, and drops half of the sample if it becomes
// too large.
type sampler struct {
	versions versionsMapper
	cells    uint64
	stride   uint64
	sample   []Sampled
}

var _ pebble.BlockPropertyCollector = (*sampler)(nil)

// NewSampler returns the collector of the sample.
func NewSampler() pebble.BlockPropertyCollector { return &sampler{stride: 1} }

// Name implements pebble.BlockPropertyCollector.
func (*sampler) Name() string { return sampleProperty }

// AddPointKey implements pebble.BlockPropertyCollector.
func (s *sampler) AddPointKey(key pebble.InternalKey, _ []byte) error {
	if !s.versions.next(key) {
		return nil
	}
	if s.cells++; s.cells%s.stride != 0 {
		return nil
	}
	s.sample = append(s.sample, Sampled{s.versions.last, s.versions.place - 1})
	if len(s.sample) < maxSample {
		return nil
	}
	for i := range maxSample / 2 {
		s.sample[i] = s.sample[2*i+1]
	}
	s.sample, s.stride = s.sample[:maxSample/2], 2*s.stride
	return nil
}

// FinishTable implements pebble.BlockPropertyCollector.
func (s *sampler) FinishTable(buf []byte) ([]byte, error) {
	for _, each := range s.sample {
		buf = binary.AppendUvarint(binary.AppendVarint(buf, each.Timestamp), each.Newer)
	}
	return buf, nil
}

// The rest of pebble.BlockPropertyCollector: blocks have no property.

func (*sampler) AddRangeKeys(sstable.Span) error             { return nil }
func (*sampler) FinishDataBlock(buf []byte) ([]byte, error)  { return buf, nil }
func (*sampler) AddPrevDataBlockToIndexBlock()               {}
func (*sampler) FinishIndexBlock(buf []byte) ([]byte, error) { return buf, nil }
func (*sampler) SupportsSuffixReplacement() bool             { return false }
func (*sampler) AddCollectedWithSuffixReplacement(_, _, _ []byte) error {
	return errors.New("keys have no suffixes to replace")
}

// FileSample returns the sample of a table file from its properties; ok is false if
// they have none.
func FileSample(properties map[string]string) (out []Sampled, ok bool, err error) {
	text, ok := properties[sampleProperty]
	if !ok || text == "" {
		return nil, false, nil
	}
	for b := []byte(text[1:]); len(b) > 0; { // the first byte stands for the name
		t, n := binary.Varint(b)
		newer, m := binary.Uvarint(b[max(n, 0):])
		if n <= 0 || m <= 0 {
			return nil, false, fmt.Errorf("%w: the property %s of a file is damaged: %x", kv.ErrCorrupt, sampleProperty, text)
		}
		out, b = append(out, Sampled{t, newer}), b[n+m:]
	}
	return out, true, nil
}

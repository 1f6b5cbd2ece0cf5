package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"path"
	"slices"
	"time"
)

// pack returns the archive for a target, and its name. Its files have the commit's time, no owner,
// and are ordered by name, so that the same files give the same bytes.
func (r *release) pack(t target, binary string, common []file) (name string, packed []byte, err error) {
	data, err := os.ReadFile(binary)
	if err != nil {
		return "", nil, err
	}
	files := append([]file{{t.binary(), 0o755, data}}, common...)
	if t.os == "linux" {
		container, err := r.containerFiles()
		if err != nil {
			return "", nil, err
		}
		files = append(files, container...)
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	name = fmt.Sprintf("hbasekv_%s_%s_%s", r.number(), t.os, t.arch)
	form, suffix := packTar, ".tar.gz"
	if t.os == "windows" {
		form, suffix = packZip, ".zip"
	}
	packed, err = form(name, files, r.from.time)
	return name + suffix, packed, err
}

func packTar(dir string, files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	packer := gzip.NewWriter(&out)
	archive := tar.NewWriter(packer)
	for _, f := range files {
		header := &tar.Header{Name: path.Join(dir, f.name), Mode: int64(f.mode.Perm()), Size: int64(len(f.data)),
			ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if f.mode.IsDir() {
			header.Name, header.Typeflag = header.Name+"/", tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := packer.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func packZip(dir string, files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: path.Join(dir, f.name), Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

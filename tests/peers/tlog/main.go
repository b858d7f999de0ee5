// Follows a served log with Go's own packages for transparency logs, and with nothing of ours.
//
//	tlog URL KEYFILE [NOTE...]
//
// The newest checkpoint of URL is opened with the verifier key in KEYFILE. Every leaf is proved to stand in its tree,
// and every remembered note to be continued by it, over the served tiles. Prints one line of JSON; exit status 1 and a
// reason when anything is not as it should be.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

var client = http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}

func fetch(url string) ([]byte, error) {
	answer, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, 1<<25))
}

// place writes index and width as tlog-tiles does; Go's own paths name the height as well.
func place(n int64, width int) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	if width < 1<<height {
		path = fmt.Sprintf("%s.p/%d", path, width)
	}
	return path
}

// served reads tiles where the log serves them, each once.
type served struct {
	url  string
	kept map[tlog.Tile][]byte
}

func (s *served) Height() int { return height }

func (s *served) SaveTiles([]tlog.Tile, [][]byte) {}

func (s *served) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		if s.kept[tile] == nil {
			bytes, err := fetch(fmt.Sprintf("%s/log/tile/%d/%s", s.url, tile.L, place(tile.N, tile.W)))
			if err != nil {
				return nil, err
			}
			if len(bytes) != tile.W*tlog.HashSize {
				return nil, fmt.Errorf("%d bytes in a tile of %d hashes", len(bytes), tile.W)
			}
			s.kept[tile] = bytes
		}
		data[i] = s.kept[tile]
	}
	return data, nil
}

// open gives the tree of a checkpoint that the log signed.
func open(message []byte, verifier note.Verifier) (tlog.Tree, int, error) {
	opened, err := note.Open(message, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, 0, err
	}
	// tlog's own form of a checkpoint has a fixed first line where tlog-checkpoint has the origin.
	lines := strings.SplitN(opened.Text, "\n", 2)
	if lines[0] != verifier.Name() {
		return tlog.Tree{}, 0, fmt.Errorf("a checkpoint of %q", lines[0])
	}
	tree, err := tlog.ParseTree([]byte("go.sum database tree\n" + lines[1]))
	return tree, len(opened.UnverifiedSigs), err
}

// entries gives the records of the bundle at index, of a tree with so many leaves.
func entries(url string, index, leaves int64) ([][]byte, error) {
	width := leaves - index<<height
	if width > 1<<height {
		width = 1 << height
	}
	rest, err := fetch(fmt.Sprintf("%s/log/tile/entries/%s", url, place(index, int(width))))
	if err != nil {
		return nil, err
	}
	var records [][]byte
	for len(rest) > 0 {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return nil, fmt.Errorf("bundle %d is cut off", index)
		}
		length := 2 + int(binary.BigEndian.Uint16(rest))
		records, rest = append(records, rest[2:length]), rest[length:]
	}
	if int64(len(records)) != width {
		return nil, fmt.Errorf("%d records in bundle %d of %d", len(records), index, width)
	}
	return records, nil
}

func follow(url, keyFile string, remembered []string) error {
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		return err
	}
	message, err := fetch(url + "/log/checkpoint")
	if err != nil {
		return err
	}
	tree, others, err := open(message, verifier)
	if err != nil {
		return err
	}
	hashes := tlog.TileHashReader(tree, &served{url, map[tlog.Tile][]byte{}})
	for index := int64(0); index<<height < tree.N; index++ {
		records, err := entries(url, index, tree.N)
		if err != nil {
			return err
		}
		for i, record := range records {
			at := index<<height + int64(i)
			proof, err := tlog.ProveRecord(tree.N, at, hashes)
			if err != nil {
				return fmt.Errorf("proving record %d: %v", at, err)
			}
			if err := tlog.CheckRecord(proof, tree.N, tree.Hash, at, tlog.RecordHash(record)); err != nil {
				return fmt.Errorf("record %d: %v", at, err)
			}
		}
	}
	for _, file := range remembered {
		message, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		old, _, err := open(message, verifier)
		if err != nil {
			return fmt.Errorf("remembered note: %v", err)
		}
		proof, err := tlog.ProveTree(tree.N, old.N, hashes)
		if err != nil {
			return fmt.Errorf("proving %d in %d: %v", old.N, tree.N, err)
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash); err != nil {
			return fmt.Errorf("tree of %d in %d: %v", old.N, tree.N, err)
		}
	}
	said := map[string]interface{}{"size": tree.N, "included": tree.N, "continued": len(remembered), "other_lines": others}
	return json.NewEncoder(os.Stdout).Encode(said)
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: tlog URL KEYFILE [NOTE...]")
		os.Exit(2)
	}
	if err := follow(strings.TrimSuffix(os.Args[1], "/"), os.Args[2], os.Args[3:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

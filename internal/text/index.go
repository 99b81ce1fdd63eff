package text

import "strings"

// index finds sentences in the text of a catalogue as it stands: every command reads one, and asks for few of its
// sentences, so nothing is taken out before it is asked for. The text has lines "key = sentence"; a line that begins with a
// blank goes on with the sentence above on a line of its own, an empty line in between stays; "#" begins a comment.
type index struct {
	text   string
	starts []uint32 // of the lines with keys
	table  []uint16 // places in starts, from 1, by the hash of their key; a power of two, more than half of it 0
}

func indexed(text string) index {
	size := 16
	for size < 2*(strings.Count(text, "\n")+1) {
		size *= 2
	}
	x := index{text: text, starts: make([]uint32, 0, size/2), table: make([]uint16, size)}
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if line != "" && line[0] != '#' && line[0] != ' ' {
			key, _, _ := strings.Cut(line, " = ")
			x.starts = append(x.starts, uint32(at))
			slot := x.slot(key)
			for x.table[slot] != 0 {
				slot = (slot + 1) % len(x.table)
			}
			x.table[slot] = uint16(len(x.starts))
		}
		at += len(line) + 1
	}
	return x
}

// slot is where the search for a key begins: FNV-1a.
func (x index) slot(key string) int {
	h := uint32(2166136261)
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return int(h % uint32(len(x.table)))
}

func (x index) find(key string) (sentence string, ok bool) {
	for slot := x.slot(key); x.table[slot] != 0; slot = (slot + 1) % len(x.table) {
		line := x.text[x.starts[x.table[slot]-1]:]
		if rest, found := strings.CutPrefix(line, key); found {
			if rest, found = strings.CutPrefix(rest, " = "); found {
				return whole(rest), true
			}
		}
	}
	return "", false
}

// whole is a sentence with the lines below that go on with it.
func whole(rest string) string {
	sentence, rest, _ := strings.Cut(rest, "\n")
	gap := ""
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		switch {
		case line == "":
			gap = "\n"
		case line[0] == '#':
		case line[0] == ' ':
			sentence += gap + "\n" + line[2:]
			gap = ""
		default:
			return sentence
		}
	}
	return sentence
}

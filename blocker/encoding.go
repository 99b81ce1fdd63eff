package blocker

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// Encoding names how the bytes of a log are to be read.
type Encoding string

// The encodings that a log can have. Legacy ones count only for lines that are not UTF-8.
const (
	UTF8     Encoding = "utf-8"
	UTF16LE  Encoding = "utf-16le"
	UTF16BE  Encoding = "utf-16be"
	CP949    Encoding = "cp949"
	ShiftJIS Encoding = "shift_jis"
	GBK      Encoding = "gbk"
	Binary   Encoding = "binary" // no text
)

// magics are the first bytes of files that are no logs, whatever their name says.
var magics = []string{"\x7fELF", "\x1f\x8b", "PK\x03\x04", "\x89PNG", "BZh", "\xfd7zXZ", "(\xb5/\xfd", "%PDF-", "MZ\x90", "\xca\xfe\xba\xbe", "SQLite format 3"}

// Detect tells the encoding from the head of a file (64 KiB are plenty), and how many bytes of byte order mark it begins
// with. Text that is UTF-8 as far as it goes is UTF8; a head cut inside a character is no fault.
func Detect(head []byte) (enc Encoding, bom int) {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return UTF8, 3
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return UTF16LE, 2
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return UTF16BE, 2
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m)) {
			return Binary, 0
		}
	}
	if nuls := bytes.Count(head, []byte{0}); nuls > 0 {
		return detectWide(head, nuls), 0
	}
	return detectLegacy(head), 0
}

// detectWide looks at where the zero bytes stand: ASCII in UTF-16 has one in every second byte, always on the same side.
func detectWide(head []byte, nuls int) Encoding {
	even := 0
	for i := 0; i < len(head); i += 2 {
		if head[i] == 0 {
			even++
		}
	}
	switch odd := nuls - even; {
	case odd*5 > len(head) && even*20 < odd:
		return UTF16LE
	case even*5 > len(head) && odd*20 < even:
		return UTF16BE
	case nuls*200 > len(head):
		return Binary
	}
	return UTF8
}

// detectLegacy guesses an East Asian encoding from the lines that are not UTF-8, UTF8 when there are none.
func detectLegacy(head []byte) Encoding {
	var bad []byte
	for rest := head; len(rest) > 0 && len(bad) < 16<<10; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i+1], rest[i+1:]
		} else {
			rest = nil
			line = trimPartial(line)
		}
		if !utf8.Valid(line) {
			bad = append(bad, line...)
		}
	}
	if len(bad) == 0 {
		return UTF8
	}
	best, top := UTF8, 0
	for _, e := range []Encoding{CP949, ShiftJIS, GBK} {
		if s := score(decodeLegacy(e, bad), e); s > top {
			best, top = e, s
		}
	}
	return best
}

// trimPartial takes a character away that the end of a sample cut through.
func trimPartial(b []byte) []byte {
	i := len(b) - 1
	for i > 0 && i > len(b)-utf8.UTFMax && !utf8.RuneStart(b[i]) {
		i--
	}
	if i >= 0 && !utf8.FullRune(b[i:]) {
		return b[:i]
	}
	return b
}

// score tells how much a decoded text looks like what its encoding is used for.
func score(s []byte, e Encoding) (n int) {
	for _, r := range string(s) {
		switch {
		case r == utf8.RuneError:
			n -= 8
		case r >= 0xAC00 && r <= 0xD7A3: // Hangul
			n += 2
		case r >= 0x3041 && r <= 0x30FE: // kana
			n += map[Encoding]int{ShiftJIS: 2}[e]
		case r >= 0xFF61 && r <= 0xFF9F: // half-width kana: what GBK and CP949 look like as Shift JIS
			n -= 2
		case r >= 0x4E00 && r <= 0x9FFF && e == CP949: // logs of today have hardly any Hanja
			n -= 2
		case r >= 0x4E00 && r <= 0x9FFF:
			n += han(r, e)
		case r >= 0xE000 && r <= 0xF8FF, r > 0x7F && r < 0xA0:
			n -= 8
		}
	}
	return n
}

// han tells common from rare characters by where GB 2312, which is ordered by use, has them.
func han(r rune, e Encoding) int {
	if e == ShiftJIS {
		return 1
	}
	b, err := simplifiedchinese.GBK.NewEncoder().Bytes([]byte(string(r)))
	if err != nil || len(b) != 2 || b[0] < 0xB0 || b[0] > 0xF7 || b[1] < 0xA1 {
		return -2
	}
	return 1
}

// codePages are the legacy encodings; GB18030 holds GBK.
var codePages = map[Encoding]encoding.Encoding{CP949: korean.EUCKR, ShiftJIS: japanese.ShiftJIS, GBK: simplifiedchinese.GB18030}

func legacy(e Encoding) encoding.Encoding { return codePages[e] }

// decodeLegacy decodes bytes of a legacy encoding; what it does not know becomes U+FFFD.
func decodeLegacy(e Encoding, b []byte) []byte {
	if l := legacy(e); l != nil {
		if out, err := l.NewDecoder().Bytes(b); err == nil {
			return out
		}
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

// appendUTF16 decodes whole code units. Lone surrogates become U+FFFD.
func appendUTF16(dst, src []byte, big bool) []byte {
	unit := func(i int) rune {
		if big {
			return rune(src[i])<<8 | rune(src[i+1])
		}
		return rune(src[i+1])<<8 | rune(src[i])
	}
	for i := 0; i+1 < len(src); i += 2 {
		r := unit(i)
		if r < 0x80 {
			dst = append(dst, byte(r))
			continue
		}
		if utf16.IsSurrogate(r) {
			if i+3 < len(src) && utf16.DecodeRune(r, unit(i+2)) != utf8.RuneError {
				r = utf16.DecodeRune(r, unit(i+2))
				i += 2
			} else {
				r = utf8.RuneError
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// cleanText makes valid UTF-8 without escape sequences out of whole lines; newlines stay where they are, so that lines
// can be counted before or after. The result is appended to dst.
func cleanText(dst, src []byte, enc Encoding) []byte {
	if !utf8.Valid(src) {
		src = repair(src, enc)
	}
	return stripEscapes(dst, src)
}

// repair decodes the lines that are not UTF-8. When the head of the file gave no hint, the lines themselves must.
func repair(src []byte, enc Encoding) []byte {
	if legacy(enc) == nil {
		enc = detectLegacy(src)
	}
	out := make([]byte, 0, len(src)+len(src)/2)
	for len(src) > 0 {
		line, rest, found := bytes.Cut(src, []byte{'\n'})
		if src = rest; !utf8.Valid(line) {
			line = decodeLegacy(enc, line)
		}
		out = append(out, line...)
		if found { // never inside the decoder, which may take a newline for the second half of a character
			out = append(out, '\n')
		}
	}
	return out
}

// stripEscapes removes terminal control sequences (ECMA-48: CSI, OSC, DCS, APC, PM, SOS and two-byte ones). An
// unterminated one ends at the end of its line, so that no line is lost.
func stripEscapes(dst, src []byte) []byte {
	for {
		i := bytes.IndexByte(src, 0x1b)
		if i < 0 {
			return append(dst, src...)
		}
		dst = append(dst, src[:i]...)
		src = src[i+escapeLen(src[i:]):]
	}
}

// escapeLen is the length of the escape sequence at the head of b.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		return csiLen(b)
	case ']', 'P', '^', '_', 'X':
		return stringLen(b)
	case '(', ')', '*', '+', '#', '%':
		if len(b) > 2 && b[2] >= ' ' && b[2] < 0x7f {
			return 3
		}
	}
	if b[1] < ' ' || b[1] >= 0x7f { // no escape sequence: what follows is text
		return 1
	}
	return 2
}

func csiLen(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x7e:
			return i
		}
	}
	return len(b)
}

func stringLen(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch b[i] {
		case 0x07:
			return i + 1
		case '\n':
			return i
		case 0x1b:
			if i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
			return i
		}
	}
	return len(b)
}

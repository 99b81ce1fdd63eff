package memory

import (
	"strconv"
	"time"
)

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

func monthNumber(digits string) int {
	if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= 12 {
		return n
	}
	return 0
}

// dateWords are the words under which an item's day is found: 2023 august 14.
func dateWords(t time.Time) []string {
	y, m, d := t.Date()
	return []string{strconv.Itoa(y), months[m-1], strconv.Itoa(d)}
}

// isoDate reads 2023-08-14, 2023/08/14 and 2023.08.14, with or without a time behind a T, as the words of that day.
func isoDate(s string) ([]string, bool) {
	const form = "2006-01-02"
	if len(s) < len(form) || len(s) > len(form) && s[len(form)] != 'T' {
		return nil, false
	}
	b := []byte(s[:len(form)])
	if b[4] != b[7] || b[4] != '-' && b[4] != '/' && b[4] != '.' {
		return nil, false
	}
	b[4], b[7] = '-', '-'
	t, err := time.Parse(form, string(b))
	if err != nil {
		return nil, false
	}
	return dateWords(t), true
}

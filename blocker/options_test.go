package blocker

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestChoices(t *testing.T) {
	for said, want := range map[string]string{
		"Question: 0 or 1?\nOptions: 0, 1":                                                                     "0/1",
		"Question: which?\nOptions: A) Redis streams B) PostgreSQL":                                            "Redis streams/PostgreSQL",
		"Question: which?\nOptions: Redis (fast); PostgreSQL (there already).":                                 "Redis (fast)/PostgreSQL (there already)",
		"Question: which?\nOptions: a | b | c":                                                                 "a/b/c",
		"Question: which?\nOptions:\n- keep the lock\n- two locks\n\nand so on":                                "keep the lock/two locks",
		"Question: which?\nOptions:\n1. one\n2. two":                                                           "one/two",
		"Question: int or long?\n- int\n- long":                                                                "int/long",
		"Question: which?\n\n1. Redis\n2. Kafka\nI would take Kafka":                                           "Redis/Kafka",
		"Question: which?\nA. int\nB) long":                                                                    "int/long",
		"Question: shall I?\n- it costs a day":                                                                 "",
		"질문: 어느 쪽?\n- 가\n- 나":                                                                                  "가/나",
		"질문: 어느 쪽?\n선택지: 가, 나":                                                                                 "가/나",
		"Question: which?\nOptions: the first costs a day, and breaks the API of the library. I would take it": "",
		"Question: which?\nOptions: only one":                                                                  "",
		"Question: which?":                                                                                     "",
	} {
		b := FromReport("architect", "Status: DECISION_NEEDED\n"+said, Options{Now: time.Unix(0, 0)})
		if b == nil || b.Type != DecisionRequired {
			t.Fatalf("%q: %+v", said, b)
		}
		if got := b.Choices(); strings.Join(got, "/") != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	many := Blocker{Evidence: append([]string{"Options:"}, slices.Repeat([]string{"- x"}, 50)...)}
	if got := many.Choices(); len(got) != maxOptions {
		t.Errorf("%d", len(got))
	}
}

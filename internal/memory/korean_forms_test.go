package memory

import (
	"strings"
	"testing"
)

// TestOtherForms: what a note says in one form is found by a question in another.
func TestOtherForms(t *testing.T) {
	for notes, questions := range map[string]string{
		"바꿨다 바꾼 바꿈 바꿀 바꿔서 바꾸면 바꾸자는 바꿨더니": "바꿨나 바꾸지 바꿔서 바꿔야 바꾸기로 바꾸는 바꾼다면 바꿨습니까",
		"고쳤다 고친 고침 고쳐서 고치려고":             "고쳤나요 고치는 고치자마자 고칩니까",
		"줄였다 줄인 줄임 줄이려고":                 "줄였나 줄이는 줄인 줄이면 줄여서",
		"만들었다 만든다 만들기":                   "만드는 만들었나 만들어야 만들지",
		"올렸다 올린 올려서":                     "올렸던 올리기 올려야",
		"나온다 나왔다 나와서":                    "나오던 나왔나 나오면 나와서",
		"번역했다 번역된다 번역":                   "번역할 번역하나 번역되던",
		"막았다 막는 막으려고 막아서":                "막았나 막는지 막을",
		"읽었다 읽던 읽으면":                     "읽는 읽었나요",
		"키를 키가 키로":                       "키가 키는 키를",
		"깃에 깃을":                          "깃에서 깃은",
		"커넥션풀 커넥션풀이":                     "커넥션풀 커넥션풀을",
	} {
		for note := range strings.FieldsSeq(notes) {
			for question := range strings.FieldsSeq(questions) {
				if got := rank(t, tableOf(said(note)...), question, 1, CountRecency); len(got) != 1 {
					t.Errorf("%s does not find %s", question, note)
				}
			}
		}
	}
}

// TestSpacesInCompounds: one syllable can be a part, too.
func TestSpacesInCompounds(t *testing.T) {
	x := tableOf(said("커넥션 풀이 고갈된 날", "파티션 키를 정했다", "커넥션 수를 늘렸다")...)
	for query, want := range map[string]int64{"커넥션풀": 0, "커넥션풀이": 0, "파티션키를": 1} {
		if got := rank(t, x, query, 1, CountRecency); len(got) != 1 || got[0] != want {
			t.Errorf("%s finds %v, want %d", query, got, want)
		}
	}
}

// TestNounsStay: what only looks like a verb's form is found by itself, and finds nothing else.
func TestNounsStay(t *testing.T) {
	for noun, others := range map[string]string{
		"시간": "시가총액", "대신": "대시보드", "속도": "속성", "회의": "회사", "문의": "문서", "파일": "파이썬", "버튼": "버터", "이미지": "이미", "토큰": "토끼",
		"번들": "번호", "재고": "재시도", "순서": "순환",
	} {
		x := tableOf(said(others, noun+"에 대한 것")...)
		if got := rank(t, x, noun, 5, CountRecency); len(got) != 1 || got[0] != 1 {
			t.Errorf("%s finds %v beside %s", noun, got, others)
		}
	}
}

// TestLoneSyllable: one syllable is asked for only where the word itself is nowhere.
func TestLoneSyllable(t *testing.T) {
	for w, want := range map[string]string{"키가": "키", "깃에서": "깃", "막으려고": "막", "죽던": "죽", "이것": "", "수도": "", "키": "", "서버": "", "책은": "책"} {
		if got := loneSyllable(w); got != want {
			t.Errorf("loneSyllable(%s) = %q, want %q", w, got, want)
		}
	}
	x := tableOf(said("속에 든 것", "속도를 쟀다")...)
	if got := rank(t, x, "속도", 5, CountRecency); len(got) != 1 || got[0] != 1 {
		t.Errorf("속도 finds %v", got)
	}
}

// TestCounted: what a note has alone, a question joins to other words.
func TestCounted(t *testing.T) {
	x := tableOf(said("세션을 나눴다", "배포는 금요일에 하지 않는다", "성별을 묻지 않는다")...)
	for query, want := range map[string]int64{"세션별로": 0, "세션당": 0, "배포중인": 1, "배포후": 1, "성별": 2} {
		if got := rank(t, x, query, 5, CountRecency); len(got) != 1 || got[0] != want {
			t.Errorf("%s finds %v, want %d", query, got, want)
		}
	}
}

// TestNumberedNames: python3 is also written in two words, and is one keyword all the same.
func TestNumberedNames(t *testing.T) {
	x := tableOf(said("dropped python 3 from the image", "python for beginners, chapter one", "bumped to xcode16")...)
	for query, want := range map[string]int64{"python3": 0, "xcode16": 2, "Xcode16에서": 2} {
		if got := rank(t, x, query, 1, CountRecency); len(got) != 1 || got[0] != want {
			t.Errorf("%s finds %v, want %d", query, got, want)
		}
	}
}

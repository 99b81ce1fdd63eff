package memory

import (
	"strings"
	"testing"
)

func TestKoreanTerms(t *testing.T) {
	for want, words := range map[string]string{
		"세션":    "세션 세션은 세션이 세션을 세션의 세션에 세션도 세션과 세션에서 세션에서는 세션으로 세션부터 세션까지 세션이나 세션이라는 세션들을 세션입니다 세션이었다 세션인가요 세션마다",
		"저장소":   "저장소 저장소는 저장소가 저장소를 저장소의 저장소와 저장소로 저장소에게 저장소였다 저장소라는",
		"저장":    "저장 저장하다 저장한다 저장했다 저장하는 저장하고 저장하면 저장해서 저장했습니다 저장했는지 저장할 저장된 저장된다 저장됐다 저장되었다 저장되는 저장합니다 저장하기를 저장했던 저장해야 저장하지 저장시켰다",
		"고치":    "고쳤다 고쳤는지 고쳤습니다 고치다 고치고 고치는 고친다 고칩니다 고치면서 고치겠습니다 고치던",
		"만들":    "만들었다 만들었습니다 만들고 만들기 만들었던 만들어야",
		"읽":     "읽었다 읽었는지 읽는 읽은",
		"책":     "책 책을 책은",
		"서버":    "서버 서버는 서버를",
		"나누":    "나눴다 나누는",
		"보내":    "보냈다 보내는 보내고",
		"결정론":   "결정론적으로 결정론적인",
		"번역":    "번역할 번역하나 번역되나요 번역한다면 번역한다고",
		"버리":    "버린다면 버린다는 버렸다고",
		"관리자역할": "관리자역할 관리자역할을",
		"번들":    "번들 번들을 번들의",
		"컴파일러":  "컴파일러 컴파일러가 컴파일러는 컴파일러에서",
		// what only looks like a suffix stays
		"마을":    "마을 마을을",
		"가을":    "가을 가을에는",
		"나이":    "나이 나이를",
		"태도":    "태도 태도가",
		"전문가":   "전문가 전문가가 전문가의",
		"회의":    "회의 회의를 회의에서",
		"결과":    "결과 결과를 결과는",
		"이미지":   "이미지 이미지를",
		"메시지":   "메시지 메시지가",
		"로그인":   "로그인 로그인을",
		"도메인":   "도메인 도메인의",
		"계약해지":  "계약해지 계약해지를",
		"잠금해제":  "잠금해제 잠금해제했다 잠금해제하는",
		"사하라":   "사하라",
		"접근권한":  "접근권한 접근권한을",
		"파일추가":  "파일추가",
		"디스플레이": "디스플레이 디스플레이를",
		"사용자":   "사용자 사용자에게 사용자들이 사용자만",
		"":      "이 그 것은 것을 있다 있었다 있습니다 없는 했다 한다 됩니다 무엇을 언제 누구인가 어디에서 그리고 때문에 않았다 위해서 중에 하는가 되면서 하려면 해야 뭐였더라 뭐지 어디서 이유가 이유는 까닭은 방법이 여러 번이 건은 개를 이었나 였나요 뭘로 하나요",
	} {
		for w := range strings.FieldsSeq(words) {
			if got := koreanTerm(w); got != want {
				t.Errorf("koreanTerm(%s) = %q, want %q", w, got, want)
			}
		}
	}
}

func TestSounds(t *testing.T) {
	for w, want := range map[string]sound{"가": open, "서버": open, "길": rieul | shut, "세션": shut, "x": shut, "": shut} {
		if got := soundOf(w); got != want && w != "x" && w != "" {
			t.Errorf("soundOf(%s) = %b, want %b", w, got, want)
		}
	}
}

// TestSuffixesFit finds entries that trim could never see.
func TestSuffixesFit(t *testing.T) {
	for s := range suffixes() {
		if n := len(s); n%syllable != 0 || n == 0 || n > longSuffix*syllable {
			t.Errorf("suffix %q has %d bytes", s, n)
		}
	}
	for n := range koreanNouns() {
		if len(n) != 2*syllable {
			t.Errorf("noun %q: two syllables are compared", n)
		}
		if _, ok := suffixes()[n[syllable:]]; !ok {
			t.Errorf("noun %q ends in no suffix", n)
		}
	}
	for s := range tails() {
		if len(s) > longSuffix*syllable {
			t.Errorf("tail %q is never reached", s)
		}
	}
}

func FuzzKoreanTerm(f *testing.F) {
	for _, w := range []string{"세션에서는", "있다", "ㅋㅋㅋ", "쳤", "다", "가", "\u1109\u1166", "세x션"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w string) {
		for _, p := range scan(w) {
			for _, w := range p.words {
				if got := term(w); isHangul(w) && len(got) > len(w) {
					t.Errorf("%q grew to %q", w, got)
				}
				if n := len(ask(w)); n > 1 {
					t.Errorf("%q is %d keywords", w, n)
				}
			}
		}
	})
}

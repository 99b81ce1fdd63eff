package memory

import (
	"maps"
	"strings"
	"sync"
	"unicode/utf8"
)

// Korean joins particles and endings to its words: 세션의, 세션을 and 세션에서는 are about one thing. They are taken off by
// list and by sound, without a dictionary, as long as two syllables remain. The sound keeps 마을 (village) and 전문가
// (expert) whole: 을 follows a consonant only, 가 a vowel only.

// sound says after which syllables a suffix can stand.
type sound byte

const (
	open  sound = 1 << iota // after a vowel: 를 가 와
	shut                    // after a consonant: 을 이 과
	rieul                   // after ㄹ, which is a consonant, but 로 takes it for a vowel
	after = open | shut | rieul
)

// particles follow nouns, the copula 이다 among them.
var particles = suffixList(
	open, `를 가 와 와의 와는 와도 란 라도 라는 라고 라며 라면 라서 랑 든지 든가 였던 예요 라던가 라든가 라든지 니까 이다 이며 는커녕 야말로`,
	shut|rieul, `을 은 이 인 과 과의 과는 과도 이나 이라 이랑 이든 이란 이라도 이라는 이라고 이라며 이라면 이라서 이든지 이든가
		이며 이고 이다 이자 이지만 이므로 이던 이었던 이면 이면서 이어서 이어야 이에요 이죠 이지 이니 이니까 인데 인데요 인지 인지를 인지는 인가 인가요 인가를 일까 일까요 은커녕 이야말로 이라던가 이라든가`,
	shut, `으로 으로는 으로도 으로의 으로만 으로써 으로서 으로부터 으로까지 으로서의 으로써의 으로부터의 으로서는`,
	open|rieul, `로 로는 로도 로의 로만 로써 로서 로부터 로까지 로서의 로써의 로부터의 로서는`,
	after, `는 의 에 도 만 들 에서 에게 에는 에도 에만 에서는 에서도 에서의 에서만 에서부터 에게는 에게도 에게서 에게로 에의 에까지
		까지 까지는 까지도 까지의 까지만 에다 에다가 커녕 치고 끼리 부터 부터는 부터의 께 께서 께서는 한테 한테서 한테는 보다 보다는 보다도 처럼 같이 마다 마다의 조차 조차도 마저 마저도
		밖에 밖에는 만큼 만큼은 만큼의 만이 만은 만을 만의 만으로 뿐 뿐만 뿐이 뿐인 대로 이었던 입니다 입니까 인데 인지 인지를 인지는 인가 인가요 일까
		들이 들은 들을 들의 들과 들도 들에 들에게 들에서 들로 들만 들까지 들부터 들에는 들에게는 들과의`,
)

// endings follow verbs, first of all 하다 and 되다, which make a verb of nearly every technical noun: 저장하는, 병합된.
var endings = suffixList(
	after, `다 하다 하는 하고 하고자 하며 하면 하여 하지 하기 하게 하자 하던 하려 하려고 하려면 하려는 하면서 하거나 하도록 하지만 하므로 하니 하니까 하나 하나요 하네 하세요 하십시오
		하여서 하여야 하는지 하는가 하는데 하는데도 하기로 하기는 하기를 하기가 하기에 하기도 하기까지 하기위해 하지는 하지도 하자마자 하자고 하더라도 하느라 하든지 하시는 하시고 하시면 하실 하신
		해 해서 해야 해도 해라 해요 해줘 해줘요 해주세요 해지는 해진 해질 해서는 해야할 해야하는 한거 한것 한뒤 한후 한다니 합시다 할게 할게요 할것 할거 할땐 한 한가 한지 한데 할 할지 할까 할까요 할때 할수 함 함을 함은 함이 함에 함께 함으로써
		되다 되는 되고 되고자 되며 되면 되어 되지 되기 되게 되던 되려면 되면서 되거나 되도록 되지만 되므로 되니 되니까 되나 되나요 되어서 되어야 되는지 되는가 되는데 되기로 되기를 되기가 되기에
		되기도 되기까지 되지는 되지도 되자마자 되더라도 되어도 되어있는 되어진 된거 된것 된뒤 된후 될것 될거 돼 돼서 돼야 돼도 돼요 된 된지 된데 될 될지 될까 될까요 될때 될수 됨 됨을 됨은 됨이 됨에
		시키다 시키는 시키고 시키며 시키면 시키지 시키기 시키게 시키려고 시키면서 시키거나 시키도록 시키기를 시켜 시켜서 시켜야 시킨 시킬 시킬지 시킴
		적 적임 적인 적으로 적이 적이고 적이며 적이다 적인가 적으로는 적이던 스러운 스럽게
		는다 는데 는지 는지를 는가 던 지만 면서 으면 으면서 으며 으려고 려고 으려면 려면 도록 거나 자마자 아서 어서 아야 어야 아도 어도 기 기를 기가 기에 기는 기도 기로 기위해 게 고 고서
		을까 을때 고자 으세요 세요 십시오 아요 어요 어지는 어진 아진 아지는`,
)

// suffixes are all of them: the longest one that fits is taken, whatever it follows.
var suffixes = sync.OnceValue(func() map[string]sound { return union(particles(), endings()) })

// certain are particles that are no noun's last syllable where the sound allows them, so that one syllable before them is a
// word: 산은, 책을, 읽는. It is not so with others: 나이, 회의, 태도.
var certain = suffixList(open, `를`, shut|rieul, `은 을`, after, `는`)

// tails follow the ㅆ of past and future: 고쳤다, 고쳤는지, 고치겠습니다.
var tails = set(`다 다고 다는 다면 다가 다며 던 던가 고 으며 으나 으니 으니까 으므로 으면 는데 는데도 지만 는지 는지를 는지는 는가 는가를 을 을까 을까요 을때 음 음을 음에도 음은
	습니다 습니까 습니다만 어 어요 어도 어서 었다 었던 었고 었는데 나 나요 네 네요 죠 지 지요 을지 을지도 거든 거든요 는데요 더라고 더라고요 으니까요 잖아 잖아요 길래 더니 던데 더라 느냐 더라도 거나 도록 기에 기 기를`)

// koreanStop are words of grammar in the forms in which they stand; isKoreanStop knows some more by how they begin.
var koreanStop = set(`
수 게 및 더 여러 또 또는 혹은 그리고 그러나 하지만 그래서 그러면 그런데 그러므로 따라서 즉 만약 만일 비록
이런 그런 저런 이렇게 그렇게 저렇게 이러한 그러한 내 네 제 내가 네가 제가 뭐 뭘 무슨 누가 어떤 어떻게 어떠한 어째서 왜 몇 얼마나 수는 수가 수를 안
위해 위해서 위한 위하여 대해 대해서 대한 대하여 통해 통해서 통한 통하여 따라 따른 따르면 의해 의한 의하면 인해 인한 관해 관한 비해 함께 같이 같은 같다 다른
없다 없는 없던 없을 없고 없으며 없어 없이 없음 없
하다 하는 하던 할 한 함 해 해서 하고 하며 하여 하면 하기 하지 한다 합니다 하 되다 되는 되던 될 된 됨 돼 돼서 되고 되며 되어 되면 되기 되지 된다 됩니다 되
이다 이며 이고 이라 이라는 이라고 인 인가 일 임 입니다 아니 아니다 아닌 아니라 못 못하 못한
매우 아주 너무 가장 모두 모든 각 각각 다시 이미 아직 항상 자주 가끔 계속 서로 바로 잘 좀 참 꼭 거의 약 총 단 오직 특히 주로
번 번이 번은 번을 번의 번만 번씩 번이나 건 건이 건은 건을 건이나 개 개가 개는 개를 개의 개나 개씩 일들 일을
어디서 여기서 거기서 저기서 알려줘 알려주세요 말해줘 보여줘 찾아줘
`)

// koreanPronouns are words of grammar that take particles: 이것을, 무엇이, 때문에.
var koreanPronouns = set(`이 그 저 것 거 등 때 중 나 너 우리 저희 이것 그것 저것 여기 거기 저기 이곳 그곳 이때 그때 그녀 그들 자신 자기 당신 여러분
무엇 누구 언제 어디 어느 얼마 때문 경우 정도 동안 가운데 이유 까닭 방법 하나`)

// koreanNouns end in a syllable that looks like a suffix, and are common as the last part of compounds: 접근권한, 파일추가.
// Nouns are left out if the syllable before the suffix ends other nouns as well (회의: 사회의, 국회의).
var koreanNouns = set(`권한 역할 포함 피해 손해 오해 방해 견해 이해 추가 허가 휴가 길이 높이 깊이 넓이 놀이 먹이 확인 승인 할인 개인
경고 광고 창고 최고 참고 신고 재고 무게 가게 미만 불만 목적 최적 실적 흔적`)

// suffixList reads pairs of a sound and the words that stand after it.
func suffixList(groups ...any) func() map[string]sound {
	return sync.OnceValue(func() map[string]sound {
		m := map[string]sound{}
		for i := 0; i < len(groups); i += 2 {
			for w := range strings.FieldsSeq(groups[i+1].(string)) {
				m[w] |= groups[i].(sound)
			}
		}
		return m
	})
}

func union(a, b map[string]sound) map[string]sound {
	m := maps.Clone(a)
	for w, s := range b {
		m[w] |= s
	}
	return m
}

const (
	syllable   = 3 // bytes of a Hangul syllable in UTF-8
	longSuffix = 5 // syllables of the longest suffix
)

// trim takes the longest suffix off w that leaves at least keep syllables.
func trim(w string, list map[string]sound, keep int) string {
	for n := min(longSuffix, len(w)/syllable-keep); n > 0; n-- {
		rest := w[:len(w)-n*syllable]
		if s := list[w[len(rest):]]; s != 0 && (rest == "" || s&soundOf(rest) != 0) && !(n == 1 && endsInNoun(w)) {
			return rest
		}
	}
	return w
}

// endsInNoun keeps compounds whole: 접근권한. Of three syllables 하다 is more likely: 번역할, 인식할.
func endsInNoun(w string) bool {
	last := w[max(0, len(w)-2*syllable):]
	return koreanNouns()[last] && !(len(w) == 3*syllable && (last == "역할" || last == "권한"))
}

// trimParticles takes off at most two particles: the 에게 and the 만 of 에게만.
func trimParticles(w string, keep int) string {
	return trim(trim(w, particles(), keep), particles(), keep)
}

// koreanTerm is what a run of Hangul is indexed as, "" for a stop word.
func koreanTerm(w string) string {
	if isKoreanStop(w) || len(w) > maxWord { // no Korean word is that long
		return ""
	}
	stem, ok := verb(w)
	if !ok {
		stem = trim(trim(w, suffixes(), 2), suffixes(), 2)
	}
	if len(stem) == 2*syllable {
		stem = trim(stem, certain(), 1)
	}
	if isKoreanStop(stem) {
		return ""
	}
	return stem
}

// isKoreanStop also knows words that are nothing but an ending: 하는가, 되면서.
func isKoreanStop(w string) bool {
	if koreanStop()[w] || koreanPronouns()[trimParticles(w, 1)] {
		return true
	}
	for _, begin := range []string{"있", "않", "뭐", "뭘", "였", "이었"} {
		if strings.HasPrefix(w, begin) {
			return true
		}
	}
	for _, begin := range []string{"하", "해", "되", "돼"} {
		if strings.HasPrefix(w, begin) && len(w) > syllable && trim(w, endings(), 0) == "" {
			return true
		}
	}
	return false
}

// Unicode numbers the syllables of Hangul by their parts: ((initial × 21) + vowel) × 28 + final.
const (
	finals  = 28
	vowels  = 21
	nieun   = 4  // finals: ㄴ
	finalL  = 8  // ㄹ
	mieum   = 16 // ㅁ
	bieup   = 17 // ㅂ
	ssang   = 20 // ㅆ
	giyeok  = 0  // initials: ㄱ
	silent  = 11 // ㅇ, which has no sound
	hieut   = 18 // ㅎ
	vowelA  = 0  // vowels: ㅏ
	vowelE  = 1  // ㅐ
	vowelEo = 4  // ㅓ
	vowelEh = 5  // ㅔ
	vowelYE = 6  // ㅕ
	vowelO  = 8  // ㅗ
	vowelWA = 9  // ㅘ
	vowelWE = 10 // ㅙ
	vowelOE = 11 // ㅚ
	vowelU  = 13 // ㅜ
	vowelWO = 14 // ㅝ
	vowelI  = 20 // ㅣ
)

// parts takes a syllable apart; ok is false if r is none.
func parts(r rune) (initial, vowel, final rune, ok bool) {
	if r < '가' || r > '힣' {
		return 0, 0, 0, false
	}
	r -= '가'
	return r / finals / vowels, r / finals % vowels, r % finals, true
}

func compose(initial, vowel, final rune) string {
	return string('가' + (initial*vowels+vowel)*finals + final)
}

func soundOf(w string) sound {
	r, _ := utf8.DecodeLastRuneInString(w)
	switch _, _, final, _ := parts(r); final {
	case 0:
		return open
	case finalL:
		return rieul | shut
	default:
		return shut
	}
}

// verb finds the stem of a verb that its form gives away, and the noun that the verb is made of: 저장했다 → 저장.
func verb(w string) (stem string, ok bool) {
	if stem, ok := pastStem(w); ok {
		if before, ok := pastStem(stem); ok { // 저장했었다
			stem = before
		}
		stem = noun(stem)
		return stem, stem != ""
	}
	if stem, ok := presentStem(w); ok {
		return noun(stem), true
	}
	return nounOf(w)
}

// pastStem goes by the ㅆ of the past and of 겠, which ends no noun: 고쳤다 → 고치.
func pastStem(w string) (stem string, ok bool) {
	for n := 0; n <= longSuffix && (n+1)*syllable <= len(w); n++ {
		head, last, tail := cutAt(w, len(w)-n*syllable)
		if initial, vowel, final, ok := parts(last); ok && final == ssang && last != '있' && (tail == "" || tails()[tail]) {
			return head + present(initial, vowel), true
		}
	}
	return "", false
}

// presentStem goes by -ㄴ다 (고친다) and -ㅂ니다 (고칩니다), and what can follow the first.
func presentStem(w string) (stem string, ok bool) {
	for _, ending := range presentEndings {
		if before, ok := strings.CutSuffix(w, ending.text); ok && before != "" {
			head, last, _ := cutAt(before, len(before))
			if initial, vowel, final, ok := parts(last); ok && final == ending.final {
				return head + compose(initial, vowel, 0), true
			}
		}
	}
	return "", false
}

var presentEndings = []struct {
	text  string
	final rune
}{
	{"다", nieun}, {"다고", nieun}, {"다는", nieun}, {"다면", nieun}, {"다며", nieun}, {"다던", nieun}, {"다거나", nieun}, {"다지만", nieun},
	{"니다", bieup}, {"니까", bieup}, {"니다만", bieup},
}

// cutAt takes a word apart around the syllable that ends at byte i.
func cutAt(w string, i int) (head string, last rune, tail string) {
	last, size := utf8.DecodeLastRuneInString(w[:i])
	return w[:i-size], last, w[i:]
}

// present undoes what the past made of a stem's last syllable: 쳤 → 치, 왔 → 오, 했 → 하; 었 and 겠 are all ending.
func present(initial, vowel rune) string {
	switch {
	case initial == silent && (vowel == vowelA || vowel == vowelEo || vowel == vowelYE), initial == giyeok && vowel == vowelEh: // 았 었 였, 겠
		return ""
	case initial == hieut && vowel == vowelE:
		vowel = vowelA
	case vowel == vowelYE:
		vowel = vowelI
	case vowel == vowelWA:
		vowel = vowelO
	case vowel == vowelWO:
		vowel = vowelU
	case vowel == vowelWE:
		vowel = vowelOE
	}
	return compose(initial, vowel, 0)
}

// nounOf is the noun of two and more syllables from which w is a form of a verb in 하다 or 되다: 저장하더니, 저장되길,
// 저장하지않는, 저장해두는. Here verbs take all of their endings, not only those that are safe to take off anything.
func nounOf(w string) (noun string, ok bool) {
	for i := 2 * syllable; i+2*syllable <= len(w); i += syllable {
		made, rest := w[i:i+syllable], w[i+syllable:]
		switch made {
		case "하", "되":
			if verbEndings()[rest] != 0 || strings.HasPrefix(rest, "지않") || strings.HasPrefix(rest, "지못") {
				return w[:i], true
			}
		case "해", "돼":
			if helpers()[rest[:syllable]] {
				return w[:i], true
			}
		case "안", "못":
			if strings.HasPrefix(rest, "하") || strings.HasPrefix(rest, "되") || strings.HasPrefix(rest, "된") || strings.HasPrefix(rest, "됨") {
				return w[:i], true
			}
		}
	}
	return "", false
}

// helpers begin the verbs that stand behind 해: 해두다, 해버리다, 해놓다, 해보다, 해주다, 해오다.
var helpers = set(`두 둔 둘 둬 뒀 버 놓 놔 봐 보 본 볼 봤 주 줘 줬 준 줄 왔 온 오`)

// noun takes the verb-making 하, 되, 시키 and 어지 off a stem: 저장하 → 저장.
func noun(stem string) string {
	if n, ok := nounOf(stem); ok {
		return n
	}
	for _, v := range []string{"하시", "되시", "시키", "어지", "아지", "해지", "되", "하", "이"} {
		if rest, ok := strings.CutSuffix(stem, v); ok && len(rest) >= 2*syllable {
			return rest
		}
	}
	return stem
}

package memory

import (
	"slices"
	"testing"
)

// diary is a developer's month, in the languages it happened in. The number of an item is its line.
var diary = []string{
	0:  "Chose flock over pid files for the lease because pid files go stale after a crash",
	1:  "세션 저장소의 잠금을 flock으로 바꿨다. pid 파일은 죽은 프로세스를 알아보지 못한다",
	2:  "LNK2019 in src/net/Socket.cpp: the winsock library was missing from target_link_libraries",
	3:  "링커 오류를 고쳤다: CMakeLists.txt에 라이브러리가 빠져 있었다",
	4:  "Rewrote the retry logic of the uploader with exponential backoff, three attempts at most",
	5:  "업로드가 실패하면 세 번까지 다시 시도하도록 만들었다",
	6:  "Profiled startup: reading YAML took most of the time, so the rules are generated now",
	7:  "시작이 느린 원인을 찾았다. YAML을 읽는 데 오래 걸려서 규칙을 미리 생성한다",
	8:  "Tests on Windows hang because the file handle is still open when the folder is removed",
	9:  "윈도우 테스트가 멈추는 문제: 폴더를 지울 때 파일 핸들이 열려 있다",
	10: "Decided against Redis for a single machine; the queue lives in SQLite until there are two",
	11: "큐는 당분간 SQLite에 둔다. 레디스는 서버가 두 대가 되면 다시 생각한다",
	12: "Authentication tokens are hashed with SHA-256 before they are stored",
	13: "인증 토큰은 해시해서 저장한다",
	14: "Documented the release process: tag, changelog, signed binaries",
	15: "배포 절차를 문서로 정리했다: 태그, 변경 기록, 서명",
	16: "The memory leak came from goroutines that nobody cancelled in watchConfig",
	17: "메모리 누수는 watchConfig에서 취소하지 않은 고루틴 때문이었다",
	18: "Dropped support for Python 3.8 and upgraded the linter",
	19: "정규식 대신 직접 만든 파서를 써서 로그 검사가 열 배 빨라졌다",
	20: "Replaced regular expressions by a hand-written scanner; log checking got ten times faster",
	21: "Talked with Mina about pricing; she wants a free tier for students",
	22: "미나와 가격 이야기를 했다. 학생에게는 무료 요금제를 주자고 한다",
	23: "Upgraded OpenSSL to 3.0.14 because of CVE-2024-5535",
}

func TestQuestions(t *testing.T) {
	x := tableOf(said(diary...)...)
	for query, want := range map[string]int64{
		"Why do we use flock and not pid files?":         0,
		"flock lease":                                    0,
		"잠금을 왜 flock으로 바꿨지?":                             1,
		"세션저장소 잠금":                                       1,
		"What was the fix for the unresolved LNK2019?":   2,
		"Socket.cpp":                                     2,
		"winsock":                                        2,
		"링커 오류는 어떻게 고쳤나요?":                               3,
		"CMakeLists.txt 라이브러리":                           3,
		"How often does the upload retry?":               4,
		"업로드 재시도는 몇 번 하나":                                5,
		"what made the start slow":                       6,
		"시작이 왜 느렸는지":                                     7,
		"Why are tests hanging on windows":               8,
		"윈도우에서 테스트가 멈추던 이유":                              9,
		"did we decide to use redis for the queue?":      10,
		"큐를 레디스에 두지 않은 이유는 무엇인가?":                        11,
		"how are auth tokens stored":                     12,
		"토큰을 어떻게 저장하기로 했지":                               13,
		"release documentation":                          14,
		"배포 절차는 어디에 정리했나":                                15,
		"What leaked memory in watch config?":            16,
		"메모리누수":                                          17,
		"고루틴을 취소하지 않아서 생긴 문제":                            17,
		"which python versions are supported":            18,
		"로그를 검사하는 파서":                                    19,
		"why did we get rid of regexes for log checks":   20,
		"What did Mina say about students?":              21,
		"미나가 학생 요금에 대해 뭐라고 했더라":                          22,
		"CVE-2024-5535":                                  23,
		"openssl 3.0.14":                                 23,
		"was there a security upgrade of OpenSSL lately": 23,
	} {
		for _, by := range []Ranking{CountRecency, CountBM25Recency} {
			if got := rank(t, x, query, 3, by); !slices.Contains(got, want) {
				t.Errorf("%s: %q finds %v, want %d: %s", by, query, got, want, diary[want])
			}
		}
	}
}

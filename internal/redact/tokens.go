package redact

import (
	"bytes"
	"slices"
)

// tokenRow is a token that its first letters give away: after prefix stand min to max letters of class, and then none.
type tokenRow struct {
	rule, prefix string
	class        *class
	min, max     int
}

// tokenRows come from what the providers document and what their tokens look like; prefixes are case-sensitive. A test
// holds a made-up token of each row.
var tokenRows = []tokenRow{
	{"aws-key", "AKIA", &upNum, 16, 16},
	{"aws-key", "ASIA", &upNum, 16, 16},
	{"aws-key", "ABIA", &upNum, 16, 16},
	{"aws-key", "ACCA", &upNum, 16, 16},
	{"aws-key", "A3T", &upNum, 17, 17},
	{"aws-key", "ABSKQmVkcm9ja0FQSUtleS", &base64, 90, 300}, // Bedrock, long-lived
	{"aws-key", "bedrock-api-key-", &base64, 28, 2000},      // Bedrock, short-lived
	{"session-token", "sst_", &slug, 43, 43},                // our own: session token create
	{"github-token", "ghp_", &alnum, 36, 251},
	{"github-token", "gho_", &alnum, 36, 251},
	{"github-token", "ghu_", &alnum, 36, 251},
	{"github-token", "ghs_", &alnum, 36, 251},
	{"github-token", "ghr_", &alnum, 36, 251},
	{"github-token", "github_pat_", &word, 82, 251},
	{"gitlab-token", "glpat-", &dotted, 20, 300},
	{"gitlab-token", "gldt-", &slug, 20, 64},
	{"gitlab-token", "glrt-", &dotted, 20, 300},
	{"gitlab-token", "glcbt-", &slug, 20, 80},
	{"gitlab-token", "glptt-", &hexLow, 40, 40},
	{"gitlab-token", "glft-", &slug, 20, 64},
	{"gitlab-token", "glffct-", &slug, 20, 64},
	{"gitlab-token", "glimt-", &slug, 25, 64},
	{"gitlab-token", "glagent-", &slug, 50, 64},
	{"gitlab-token", "gloas-", &slug, 64, 64},
	{"gitlab-token", "glsoat-", &slug, 20, 64},
	{"gitlab-token", "GR1348941", &slug, 20, 64},
	{"gitlab-token", "_gitlab_session=", &hexOrNum, 32, 32},
	{"slack-token", "xoxb-", &slug, 30, 300},
	{"slack-token", "xoxp-", &slug, 30, 300},
	{"slack-token", "xoxa-", &slug, 30, 300},
	{"slack-token", "xoxo-", &slug, 30, 300},
	{"slack-token", "xoxr-", &slug, 30, 300},
	{"slack-token", "xoxs-", &slug, 30, 300},
	{"slack-token", "xoxe-", &slug, 40, 400},
	{"slack-token", "xoxe.xox", &slug, 40, 400},
	{"slack-token", "xapp-", &slug, 30, 300},
	{"stripe-key", "sk_live_", &alnum, 10, 250},
	{"stripe-key", "sk_test_", &alnum, 10, 250},
	{"stripe-key", "sk_prod_", &alnum, 10, 250},
	{"stripe-key", "rk_live_", &alnum, 10, 250},
	{"stripe-key", "rk_test_", &alnum, 10, 250},
	{"stripe-key", "rk_prod_", &alnum, 10, 250},
	{"stripe-key", "whsec_", &base64, 32, 80},
	{"google-key", "AIza", &slug, 35, 35},
	{"google-key", "GOCSPX-", &slug, 28, 28},
	{"google-key", "ya29.", &slug, 40, 2000},
	{"npm-token", "npm_", &alnum, 36, 36},
	{"pypi-token", "pypi-" + "AgEIcHlwaS5vcmc", &slug, 50, 1000},
	{"pypi-token", "pypi-" + "AgENdGVzdC5weXBpLm9yZw", &slug, 50, 1000},
	{"anthropic-key", "sk-ant-api03-", &slug, 80, 120},
	{"anthropic-key", "sk-ant-admin01-", &slug, 80, 120},
	{"anthropic-key", "sk-ant-oat01-", &slug, 80, 120},
	{"anthropic-key", "sk-ant-sid01-", &slug, 80, 120},
	{"openai-key", "sk-proj-", &slug, 40, 250},
	{"openai-key", "sk-svcacct-", &slug, 40, 250},
	{"openai-key", "sk-admin-", &slug, 40, 250},
	{"openai-key", "sk-or-v1-", &hexLow, 64, 64}, // OpenRouter
	{"openai-key", "sk-", &alnum, 32, 64},
	{"sendgrid-key", "SG.", &dotted, 66, 69},
	{"heroku-key", "HRKU-", &slug, 36, 80},
	{"shopify-token", "shpat_", &hexAny, 32, 32},
	{"shopify-token", "shpca_", &hexAny, 32, 32},
	{"shopify-token", "shppa_", &hexAny, 32, 32},
	{"shopify-token", "shpss_", &hexAny, 32, 32},
	{"square-token", "sq0atp-", &slug, 22, 60},
	{"square-token", "sq0csp-", &slug, 43, 60},
	{"square-token", "EAAA", &slug, 56, 60},
	{"facebook-token", "EAAM", &alnum, 80, 400},
	{"facebook-token", "EAAC", &alnum, 80, 400},
	{"alibaba-key", "LTAI", &alnum, 20, 20},
	{"vault-token", "hvs.", &slug, 90, 200},
	{"vault-token", "hvb.", &slug, 138, 300},
	{"digitalocean-token", "doo_v1_", &hexLow, 64, 64},
	{"digitalocean-token", "dop_v1_", &hexLow, 64, 64},
	{"digitalocean-token", "dor_v1_", &hexLow, 64, 64},
	{"databricks-token", "dapi", &hexLow, 32, 34},
	{"docker-token", "dckr_pat_", &slug, 27, 40},
	{"docker-token", "dckr_oat_", &slug, 27, 40},
	{"huggingface-token", "hf_", &letters, 34, 34},
	{"huggingface-token", "api_org_", &letters, 34, 34},
	{"atlassian-token", "ATATT3", &base64A, 180, 200},
	{"age-key", "AGE-SECRET-KEY-1", &upNum, 58, 58},
	{"cloudflare-key", "v1.0-", &hexDash, 171, 171},
	{"onepassword-key", "ops_eyJ", &base64A, 250, 4000},
	{"onepassword-key", "A3-", &upNumDash, 34, 36},
	{"vendor-token", "CLOJARS_", &alnum, 60, 60},
	{"vendor-token", "4b1d", &alnum, 38, 38}, // ClickHouse Cloud
	{"vendor-token", "AKCp", &alnum, 69, 69}, // Artifactory
	{"vendor-token", "cmVmd", &alnum, 59, 59},
	{"vendor-token", "dnkey-", &base64A, 70, 90}, // Defined Networking
	{"vendor-token", "dp.pt.", &alnum, 43, 43},   // Doppler
	{"vendor-token", "dp.st.", &dotted, 40, 80},
	{"vendor-token", "dp.sa.", &alnum, 40, 44},
	{"vendor-token", "duffel_live_", &base64A, 43, 43},
	{"vendor-token", "duffel_test_", &base64A, 43, 43},
	{"vendor-token", "dt0c01.", &dotted, 89, 89},  // Dynatrace
	{"vendor-token", "EZAK", &alnum, 54, 54},      // EasyPost
	{"vendor-token", "EZTK", &alnum, 54, 54},      //
	{"vendor-token", "FLWSECK_", &slug, 15, 45},   // Flutterwave
	{"vendor-token", "FLWSECK-", &slug, 30, 45},   //
	{"vendor-token", "fo1_", &slug, 43, 43},       // Fly.io
	{"vendor-token", "fm1r_", &base64A, 100, 900}, //
	{"vendor-token", "fm1a_", &base64A, 100, 900}, //
	{"vendor-token", "fm2_", &base64A, 100, 900},  //
	{"vendor-token", "fio-u-", &base64A, 64, 64},  // Frame.io
	{"vendor-token", "glc_", &base64A, 32, 400},   // Grafana
	{"vendor-token", "glsa_", &word, 41, 41},      //
	{"vendor-token", "eyJrIjoi", &base64A, 70, 400},
	{"vendor-token", "ico-", &alnum, 32, 32},       // Infracost
	{"vendor-token", "s-s4t2ud-", &hexLow, 64, 64}, // 42
	{"vendor-token", "s-s4t2af-", &hexLow, 64, 64},
	{"vendor-token", "lin_api_", &alnum, 40, 40},
	{"vendor-token", "lin_oauth_", &hexLow, 64, 64},
	{"vendor-token", "NRAK-", &alnum, 27, 27}, // New Relic
	{"vendor-token", "NRII-", &alnumDash, 32, 32},
	{"vendor-token", "NRJS-", &hexLow, 19, 19},
	{"vendor-token", "ntn_", &alnum, 46, 46}, // Notion
	{"vendor-token", "secret_", &alnum, 43, 43},
	{"vendor-token", "API-", &upNum, 26, 26},    // Octopus Deploy
	{"vendor-token", "sha256~", &slug, 43, 43},  // OpenShift
	{"vendor-token", "pplx-", &alnum, 48, 48},   // Perplexity
	{"vendor-token", "pscale_", &dotEq, 36, 80}, // PlanetScale
	{"vendor-token", "PMAK-", &hexDash, 59, 59}, // Postman
	{"vendor-token", "pnu_", &alnum, 36, 36},    // Prefect
	{"vendor-token", "pul-", &hexLow, 40, 40},   // Pulumi
	{"vendor-token", "rdme_", &alnum, 70, 70},   // ReadMe
	{"vendor-token", "rubygems_", &hexLow, 48, 48},
	{"vendor-token", "tk-us-", &slug, 48, 48},         // Scalingo
	{"vendor-token", "xkeysib-", &alnumDash, 81, 81},  // Brevo
	{"vendor-token", "sntrys_", &sentry, 100, 600},    // Sentry
	{"vendor-token", "sntryu_", &hexLow, 64, 64},      //
	{"vendor-token", "sm_aat_", &alnum, 16, 16},       // SettleMint
	{"vendor-token", "sm_pat_", &alnum, 16, 16},       //
	{"vendor-token", "sm_sat_", &alnum, 16, 16},       //
	{"vendor-token", "shippo_live_", &hexAny, 40, 40}, //
	{"vendor-token", "shippo_test_", &hexAny, 40, 40}, //
	{"vendor-token", "squ_", &hexAny, 40, 40},         // SonarQube
	{"vendor-token", "sqp_", &hexAny, 40, 40},         //
	{"vendor-token", "sqa_", &hexAny, 40, 40},         //
	{"vendor-token", "sgp_", &word, 40, 57},           // Sourcegraph
	{"vendor-token", "tfp_", &dotEq, 59, 59},          // Typeform
	{"vendor-token", "AQVN", &slug, 35, 38},           // Yandex
	{"vendor-token", "gsk_", &alnum, 52, 52},          // Groq
	{"vendor-token", "xai-", &alnum, 80, 80},          // xAI
	{"vendor-token", "r8_", &alnum, 37, 37},           // Replicate
	{"vendor-token", "sbp_", &hexLow, 40, 40},         // Supabase
	{"vendor-token", "figd_", &slug, 40, 60},          // Figma
	{"vendor-token", "CCIPAT_", &word, 60, 70},        // CircleCI
	{"vendor-token", "tskey-", &alnumDash, 20, 70},    // Tailscale
	{"vendor-token", "lsv2_pt_", &word, 40, 50},       // LangSmith
	{"vendor-token", "rzp_live_", &alnum, 14, 14},     // Razorpay
	{"vendor-token", "CFPAT-", &slug, 43, 43},         // Contentful
	{"vendor-token", "nfp_", &alnum, 36, 36},          // Netlify
	{"vendor-token", "xps_", &slug, 28, 28},
	{"vendor-token", "p8e-", &alnum, 32, 32}, // Adobe
}

var (
	hexOrNum  = of("0-9a-z")
	hexDash   = of("0-9a-f-")
	upNumDash = of("0-9A-Z-")
	alnumDash = of("0-9a-zA-Z-")
	dotEq     = of("0-9a-zA-Z_.=-")
	sentry    = of("0-9a-zA-Z+/=_")
)

// match decides on a token row.
func (t *tokenRow) match(w *window) (int, int, bool) {
	if !w.begins(w.at) {
		return 0, 0, false
	}
	body := w.after()
	n := t.class.run(body, t.max)
	for n > t.min && (body[n-1] == '.' || body[n-1] == '-' || body[n-1] == '=' && n > t.max) {
		n-- // the end of a sentence, not of a token
	}
	end := w.at + w.n + n
	return w.at, end, n >= t.min && n <= t.max && w.ends(end) && solid(body[:n]) && !t.written(body[:n])
}

// written tells whether the body is a text in the place of a token: xoxb-my-bot-token-goes-here.
func (t *tokenRow) written(body []byte) bool {
	odd, all := oddness(body)
	return (t.class == &slug || t.class == &dotted) && odd*2 < all && common(body) > 0.72
}

// begins tells whether a word can begin at i: no letter, digit or _ stands before it, unless it ends an escape (\n) or
// a percent sign's two digits (%3D).
func (w *window) begins(i int) bool {
	c := w.before(i)
	if c == '.' && i >= 2 && word.has(w.b[i-2]) {
		return false // video_box.ico-7a38…: the dot belongs to it
	}
	if !word.has(c) {
		return true
	}
	if i >= 2 && (c == 'n' || c == 'r' || c == 't') && w.b[i-2] == '\\' {
		return true
	}
	return i >= 3 && w.b[i-3] == '%' && hexAny.has(c) && hexAny.has(w.b[i-2])
}

// ends tells whether a word can end at i.
func (w *window) ends(i int) bool { return i >= len(w.b) || !word.has(w.b[i]) }

// solid refuses bodies that stand for a token in an example: few different letters, one letter many times, the alphabet.
func solid(b []byte) bool {
	seen := bytesOf(b)
	if distinct := seen.size(); distinct < 5 || len(b) >= 20 && distinct < 8 || len(b) >= 32 && distinct < 9 {
		return false
	}
	same, row := runs(b)
	return (same < 6 || same*4 < len(b)) && row < 20 && !containsAny(b, "example", "redacted", "placeholder", "changeme", "xxxx")
}

func containsAny(b []byte, words ...string) bool {
	return slices.ContainsFunc(words, func(s string) bool { return containsFold(b, s) })
}

// runs gives the longest run of one letter, and of letters that follow each other in the alphabet or in counting.
func runs(b []byte) (same, row int) {
	s, r := 1, 1
	same, row = 1, 1
	for i := 1; i < len(b); i++ {
		s, r = s+1, r+1
		if b[i] != b[i-1] {
			s = 1
		}
		if b[i] != b[i-1]+1 {
			r = 1
		}
		same, row = max(same, s), max(row, r)
	}
	return same, row
}

// containsFold tells whether sub, in lower case, stands in b in any case.
func containsFold(b []byte, sub string) bool {
	for len(b) >= len(sub) {
		i := bytes.IndexAny(b[:len(b)-len(sub)+1], sub[:1]+string(upper(sub[0])))
		if i < 0 {
			return false
		}
		k := 1
		for k < len(sub) && lower[b[i+k]] == sub[k] {
			k++
		}
		if k == len(sub) {
			return true
		}
		b = b[i+1:]
	}
	return false
}

package memory

import (
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"
)

// english words of grammar: they say nothing about what a text is about. A question is mostly made of them, so they
// decide whether a whole sentence finds as well as two words do.
var englishStop = set(`
a an the this that these those such same other another own else each every either neither both all any some few several
many much more most less least enough no none nothing nobody nor not never only just also even too very quite rather
really already still yet ever again once always often sometimes usually perhaps maybe almost
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones someone somebody something anyone anybody anything everyone
everybody everything
who whom whose what which when where why how whether whatever whenever wherever whoever
am is are was were be been being isn aren wasn weren do does did done doing don doesn didn have has had having haven
hasn hadn can cannot could couldn will won would wouldn shall should shouldn might must mustn ought need needn ain let
and or but if then than so as because since while until unless although though however therefore thus hence
of in on at by to from for with without within into onto out off over under about above below between among across
through during before after against along around behind beside beyond near per toward towards upon via up down
here there now s t d m ll ve re oh yes yeah ok okay hey hi please thanks etc e.g i.e a.m p.m
`)

// englishForms are words whose stem does not show what they belong to: irregular verbs and nouns, months in short, and
// spellings that differ between the two shores.
var englishForms = forms(`
arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became, begin began begun, bend bent,
bite bitten, bleed bled, blow blew blown, break broke broken, bring brought, build built, burn burnt, buy bought,
catch caught, choose chose chosen, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found,
flee fled, fling flung, fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, get got gotten, give gave given, go goes went gone, grow grew grown, hang hung, hear heard,
hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant, leap leapt,
learn learnt, leave left, lend lent, light lit, lose lost, make made, mean meant, meet met, mistake mistook mistaken,
pay paid, prove proven, rebuild rebuilt, redo redid redone, rerun reran, override overrode overridden,
overwrite overwrote overwritten, rewrite rewrote rewritten, ride rode ridden, ring rang rung, rise rose risen, run ran,
say said, see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken, shine shone, shoot shot,
show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken,
speed sped, spend spent, spin spun, spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung,
strike struck stricken, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum,
swing swung, take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown,
undergo underwent undergone, understand understood, undo undid undone, unwind unwound, uphold upheld, wake woke woken,
wear wore worn, weave wove woven, weep wept, win won, withdraw withdrew withdrawn, withhold withheld, write wrote written,
child children, man men, woman women, person people, foot feet, tooth teeth, goose geese, mouse mice, ox oxen,
life lives, wife wives, knife knives, half halves, shelf shelves, wolf wolves, thief thieves, loaf loaves, calf calves,
index indices, vertex vertices, matrix matrices, appendix appendices, criterion criteria, phenomenon phenomena,
schema schemata, analysis analyses, crisis crises, hypothesis hypotheses, parenthesis parentheses, thesis theses,
january jan, february feb, april apr, june jun, july jul, august aug, september sep sept, october oct, november nov,
december dec,
color colour colours coloured, behavior behaviour behaviours, favor favour favours, favorite favourite favourites,
honor honour, labor labour, neighbor neighbour neighbours, center centre centres centred, meter metre metres,
fiber fibre, license licence licences, defense defence, catalog catalogue catalogues, dialog dialogue dialogues,
analyze analyse analysed analysing, analyzer analyser, artifact artefact artefacts, gray grey, program programme,
cancel cancelled cancelling, travel travelled travelling, label labelled labelling, model modelled modelling,
initialize initialise initialised initialising, serialize serialise serialised serialising,
normalize normalise normalised normalising, optimize optimise optimised optimising,
organize organise organised organising, recognize recognise recognised recognising,
synchronize synchronise synchronised synchronising, realize realise realised realising
`)

// set is made when it is first asked for, as all tables of words are: most commands of a program never look into one.
func set(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	})
}

// forms maps every word of a group to the group's first one.
func forms(groups string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for g := range strings.SplitSeq(groups, ",") {
			w := strings.Fields(g)
			for _, form := range w[1:] {
				m[form] = w[0]
			}
		}
		return m
	})
}

// englishTerm is what an ASCII word is indexed as, "" for a stop word. Stems are those of Snowball's English stemmer
// (Porter2); words with digits and signs have none.
func englishTerm(w string) string {
	if englishStop()[w] {
		return ""
	}
	if base, ok := englishForms()[w]; ok {
		w = base
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	return english.Stem(w, true)
}

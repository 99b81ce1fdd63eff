// Package rules holds what is known about the output of tools as data: which lines of a log report a failure, which
// ones end a run, and what each of them says.
//
// # Model
//
// A Rule recognises one form of one line. Its literals are strings of which at least one must stand in a line before
// the rule is asked at all; its pattern (RE2) or its shape (one of three hand-written parsers for the forms that most
// compilers share) then decides and captures file, line, col, msg and key. Lines that follow can add what the first one
// does not say (Then). Rules are asked in order, the first that matches wins, so a special rule stands above a general
// one and a project's own rules stand above all.
//
// A Table is a compiled, immutable list of rules. Its filter looks at every stride-th three bytes of a block (stride
// four when all literals have six bytes or more) and so passes over ordinary text at memory speed; no pattern ever
// sees a line that no literal selected. Patterns are compiled when first needed.
//
// The built-in rules are the YAML files in data/, each rule with the fixtures that it must and must not match. The same
// format serves a project's own rules; Parse refuses unknown keys and names line and column.
package rules

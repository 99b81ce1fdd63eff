package redact

// literals puts the rules together, the most telling first: of two that share a beginning the first is asked first.
func literals() []literal {
	var all []literal
	for i := range tokenRows {
		row := &tokenRows[i]
		all = append(all, literal{text: row.prefix, rule: &rule{row.rule, row.match}})
	}
	for _, s := range shapes() {
		r := &rule{s.rule, s.match}
		for _, text := range s.literals {
			all = append(all, literal{text, r, s.fold})
		}
	}
	r := &rule{assigned, assignment}
	for _, text := range keywords() {
		all = append(all, literal{text, r, true})
	}
	return all
}

// Rules lists the names of all rules, for content and for file names, in no order that means anything.
func Rules() []string {
	seen := map[string]bool{}
	var all []string
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	for _, l := range literals() {
		add(l.rule.name)
	}
	for _, n := range fileRules() {
		add(n.rule)
	}
	return all
}

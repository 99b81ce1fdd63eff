package brief

import "strings"

// Node is one snapshot of a lineage picture; nodes come children before parents.
type Node struct {
	ID, Parent string
	Text       string // what stands beside it
	Aside      bool   // an autosave: nothing continues it
}

// Graph draws a lineage the way git log --graph draws commits: one line a node, and lines where branches meet.
func Graph(nodes []Node) []string {
	var out []string
	var columns []string // the id that each column waits for
	for _, n := range nodes {
		at := -1
		for i, c := range columns {
			if c == n.ID && at < 0 {
				at = i
			}
		}
		if at < 0 {
			columns = append(columns, n.ID)
			at = len(columns) - 1
		}
		columns, out = meet(columns, at, n.ID, out)
		mark := "*"
		if n.Aside {
			mark = "o"
		}
		var row strings.Builder
		for i := range columns {
			if i == at {
				row.WriteString(mark + " ")
			} else {
				row.WriteString("| ")
			}
		}
		out = append(out, row.String()+n.Text)
		if n.Parent == "" {
			columns = append(columns[:at], columns[at+1:]...)
		} else {
			columns[at] = n.Parent
		}
	}
	return out
}

// meet closes the columns to the right of at that wait for the same node.
func meet(columns []string, at int, id string, out []string) ([]string, []string) {
	for i := len(columns) - 1; i > at; i-- {
		if columns[i] != id {
			continue
		}
		var row strings.Builder
		for k := range columns {
			switch {
			case k < at:
				row.WriteString("| ")
			case k == at:
				row.WriteString("|")
			case k < i:
				row.WriteString("_|")
			case k == i:
				row.WriteString("/")
			default:
				row.WriteString(" /")
			}
		}
		out = append(out, strings.TrimRight(row.String(), " "))
		columns = append(columns[:i], columns[i+1:]...)
	}
	return columns, out
}

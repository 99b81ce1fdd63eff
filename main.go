// Command session keeps the thread of a piece of work: what was being done, where it stopped, what blocks it, and what
// comes next.
package main

import (
	"os"

	"session/commands"
)

func main() { os.Exit(commands.Process(commands.Parts{})) }

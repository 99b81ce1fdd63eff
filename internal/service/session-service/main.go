// Command session-service is session with the service and the clients of servers built in. session starts it by itself
// where a command needs them.
package main

import (
	"os"

	"session/commands"
	"session/internal/service"
)

func main() { os.Exit(commands.Process(service.Parts())) }

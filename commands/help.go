package commands

// helpTemplate is the help of one command: what it is for, examples, exit codes, flags.
const helpTemplate = `{{.HelpName}}: {{.Usage}}

  {{.HelpName}}{{if .VisibleFlags}} [flags]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}
{{if .Description}}
{{.Description}}
{{end}}{{if .Subcommands}}
{{range .VisibleCommands}}  {{join .Names ", "}}{{"\t"}}{{.Usage}}
{{end}}{{end}}{{range .VisibleFlagCategories}}
{{if .Name}}{{.Name}}:
{{end}}{{range .Flags}}  {{.}}
{{end}}{{end}}`

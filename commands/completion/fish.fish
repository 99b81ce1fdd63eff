# fish completion for session: session completion fish | source
complete -c session -f -n __fish_use_subcommand -a "@COMMANDS@"
complete -c session -f -n "not __fish_use_subcommand" -a "(session (commandline -opc)[2..-1] (commandline -ct) --generate-bash-completion 2>/dev/null)"

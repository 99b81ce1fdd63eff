# bash completion for session: eval "$(session completion bash)"
_session() {
  local cur=${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ] && [ "${cur#-}" = "$cur" ]; then
    words="@COMMANDS@"
  else
    words=$(session "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" --generate-bash-completion 2>/dev/null)
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _session session

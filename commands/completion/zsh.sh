#compdef session
# zsh completion for session: eval "$(session completion zsh)"
_session() {
  if (( CURRENT == 2 )); then
    compadd -- @COMMANDS@
  else
    compadd -- ${(f)"$(session ${words[2,CURRENT-1]} ${words[CURRENT]} --generate-bash-completion 2>/dev/null)"}
  fi
}
compdef _session session

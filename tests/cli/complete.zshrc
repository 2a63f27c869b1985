# SPDX-License-Identifier: MIT
# The .zshrc of an interactive zsh that writes to $OUT what the script in folder $SCRIPTS offers at the end of each line of
# $LINES_FILE, and ends: "== LINE" and the candidates, a line each.
fpath=($SCRIPTS $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a offered
    local word
    for word; do
        [[ $word == (-|--) ]] && break
        # Only asked what would fit.
        [[ $word == -[OAD]* ]] && { builtin compadd "$@"; return }
    done
    builtin compadd -O offered "$@"
    (( $#offered )) && print -rl -- "$offered[@]" >>$OUT
    builtin compadd "$@"
}
capture() {
    local line
    for line in "${(@f)$(<$LINES_FILE)}"; do
        print -r -- "== $line" >>$OUT
        BUFFER=$line CURSOR=$#line
        zle list-choices
    done
    exit
}
zle -N zle-line-init capture

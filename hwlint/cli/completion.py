"""Complete command lines where click's own scripts lose words with commas or an equals sign."""

from __future__ import annotations

from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete, add_completion_class

_FISH = """\
function %(complete_func)s
    set -l option (string match -r -- '^--[^=]*=' (commandline -ct))
    set -l value (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    for line in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp | string collect) \\
            COMP_CWORD=(commandline -ct | string collect) %(prog_name)s)
        set -l parts (string split --max 1 "," -- $line)
        switch $parts[1]
            case dir
                string replace -r -- '^' "$option" (__fish_complete_directories "$value")
            case file
                string replace -r -- '^' "$option" (__fish_complete_path "$value")
            case plain
                echo $parts[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""

_COMPINIT = """\
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
"""


def register() -> None:
    """Let click use these classes for the three shells."""
    add_completion_class(_Bash)
    add_completion_class(_Zsh)
    add_completion_class(_Fish)


def _with_option(incomplete: str, found: list[CompletionItem[str]]) -> list[CompletionItem[str]]:
    """Put `--option=` back in front of values: the shell takes the whole word for what is to be completed."""
    option, equals, _ = incomplete.partition("=")
    if not equals or not option.startswith("--"):
        return found
    return [
        CompletionItem(f"{option}={item.value}", item.type, item.help) if item.type == "plain" else item
        for item in found
    ]


class _Bash(BashComplete):
    """Bash, also for values after `--option=`: it hands the equals sign over as a word of its own."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to complete, and that one."""
        args, incomplete = super().get_completion_args()
        return [word for word in args if word != "="], incomplete


class _Zsh(ZshComplete):
    """Zsh, also where no completion has been set up before, and for values after `--option=`."""

    source_template = ZshComplete.source_template.replace(
        "    compdef %(complete_func)s", f"    {_COMPINIT}    compdef %(complete_func)s"
    ).replace("_path_files", "compset -P '--*='; _path_files")

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """What the word can become."""
        return _with_option(incomplete, super().get_completions(args, incomplete))


class _Fish(FishComplete):
    """Fish, also for values and descriptions with commas, and for values after `--option=`."""

    source_template = _FISH

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """What the word can become."""
        return _with_option(incomplete, super().get_completions(args, incomplete))

"""Import one module of a copied tree, evaluate one lookup there, optionally run a probe, and write what happened."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import traceback
from typing import Any

SHOWN = 2000
"""Characters kept of a value or a message."""


class Left(Exception):
    """The code before the lookup left the function: the lookup is not reached."""

    def __init__(self, line: int, how: str) -> None:
        super().__init__(line, how)
        self.line = line
        self.how = how


class Recorder:
    """What the driver of a replay reports while it runs; its methods are the driver's only vocabulary."""

    def __init__(self) -> None:
        self.line = 0
        self.hits: list[Any] = []
        self.behind: list[dict[str, Any]] = []
        self.assumed: list[str] = []

    def at(self, line: int) -> None:
        """Note the original line about to run."""
        self.line = line

    def hit(self, value: Any) -> Any:
        """Note the value of the lookup."""
        self.hits.append(value)
        return value

    def later(self, line: int, evaluate: Any) -> None:
        """Evaluate a further lookup of the same function, behind the one in question."""
        try:
            evaluate()
        except Exception as error:
            self.behind.append({"line": line, "type": type(error).__name__, "text": _text_of(error)})

    def assume(self, line: int, test: str, error: Any = None) -> None:
        """Note that a test could not be evaluated and is taken not to leave."""
        why = "" if error is None else f" ({_text_of(error)})"
        self.assumed.append("line %d: `%s` could not be evaluated%s; taken not to leave" % (line, test, why))


def main() -> None:
    """Run the replay that the file named by the first argument describes; write the answer to the second."""
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    destination = sys.argv[2]
    answer: dict[str, Any] = {"stage": "start"}

    def save(stage: str) -> None:
        answer["stage"] = stage
        with open(destination + ".part", "w", encoding="utf-8") as out:
            json.dump(answer, out)
        os.replace(destination + ".part", destination)

    _limit_memory(spec.get("memory") if spec.get("simulate") else None)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = spec["sys_path"]
    sys.argv[1:] = []
    os.chdir(spec["tree"])
    stand_in_used: Any = ()
    if spec.get("simulate"):
        save("stand-in")
        standin = _load("_hwlint_standin", os.path.join(here, "standin.py"))
        answer["stand_in"] = standin.install(spec["simulate"], spec.get("origins", ()))
        stand_in_used = standin.StandInUsed
    save("import")
    module = None
    for name in [part["module"] for part in spec["driver"][:-1]] + [spec["module"]]:
        module = _import(name, spec, answer, stand_in_used)
        if module is None:
            break
    if module is not None:
        save("lookup")
        value = _evaluate(spec, answer, stand_in_used)
        answer["capability"] = _capability() if spec.get("ask_capability") else None
        if spec.get("probe") and "lookup" in answer:
            save("probe")
            answer["probe"] = _probe(spec, module, value)
    save("done")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads and exit handlers of the imported code have no say any more


def _limit_memory(limit: int | None) -> None:
    """Bound what this process may allocate; the address space stays free, frameworks reserve far more than they use.

    On a device nothing is bounded here: what a driver maps for itself counts as well. The runner watches what the
    process holds in either case.
    """
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limit:
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        except (ValueError, OSError):
            pass


def _load(name: str, path: str) -> Any:
    module_spec = importlib.util.spec_from_file_location(name, path)
    assert module_spec is not None and module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name] = module
    module_spec.loader.exec_module(module)
    return module


def _import(name: str, spec: dict[str, Any], answer: dict[str, Any], stand_in_used: Any) -> Any:
    """Import the module; on failure record it in `answer["import"]` and return None."""
    try:
        module = importlib.import_module(name)
    except stand_in_used as unknown:
        answer["import"] = {"kind": "unknown", "text": f"the stand-in cannot tell what {unknown} is"}
        return None
    except BaseException as error:
        answer["import"] = _raised(error, spec)
        return None
    origin = os.path.realpath(str(getattr(module, "__file__", "") or ""))
    if not origin.startswith(os.path.realpath(spec["tree"]) + os.sep):
        answer["import"] = {"kind": "elsewhere", "text": f"{name} was imported from outside the copy"}
        return None
    answer["import"] = {"kind": "value", "text": "imported"}
    return module


def _evaluate(spec: dict[str, Any], answer: dict[str, Any], stand_in_used: Any) -> Any:
    """Run the driver, each part among its own module's names; record the outcome and return the value."""
    recorder = Recorder()
    parts: dict[str, Any] = {}
    words = {
        "__hw_at__": recorder.at,
        "__hw_hit__": recorder.hit,
        "__hw_later__": recorder.later,
        "__hw_assume__": recorder.assume,
        "__hw_left__": Left,
        "__hw_instance__": _instance,
        "__hw_device__": _device,
        "__hw_parts__": parts,
    }
    value: Any = None
    try:
        for part in spec["driver"]:
            names = dict(vars(sys.modules[part["module"]]), **words)
            exec(compile(part["source"], "<replay of {}>".format(part["module"]), "exec"), names)
            parts[part["name"]] = names[part["name"]]
        parts["__hw_main__"]()
        outcome: dict[str, Any] = {"kind": "value", "text": "", "line": recorder.line}
    except Left as left:
        outcome = {"kind": "left", "text": "line %d: %s" % (left.line, left.how), "line": left.line}
    except stand_in_used as unknown:
        outcome = {"kind": "unknown", "text": f"the stand-in cannot tell what {unknown} is", "line": recorder.line}
    except BaseException as error:
        outcome = _raised(error, spec)
        outcome["line"] = recorder.line
        outcome["at_lookup"] = recorder.line == spec["lookup"]["line"] and not recorder.hits
    if recorder.hits:
        value = recorder.hits[-1]
        try:
            outcome = {
                "kind": "value",
                "text": repr(value)[:SHOWN],
                "type": type(value).__name__,
                "line": recorder.line,
            }
        except stand_in_used as unknown:
            outcome = {"kind": "unknown", "text": f"the value depends on {unknown}, which the stand-in does not know"}
    elif outcome["kind"] == "value":
        outcome = {"kind": "left", "text": "the lookup was not reached", "line": recorder.line}
    outcome["behind"] = recorder.behind
    outcome["assumed"] = recorder.assumed
    answer["lookup"] = outcome
    return value


def _raised(error: BaseException, spec: dict[str, Any]) -> dict[str, Any]:
    """Describe an exception: its type, its text, and whether it came from the lookup's own statement."""
    frames = traceback.extract_tb(error.__traceback__)
    tree = os.path.realpath(spec["tree"]) + os.sep
    inside = [frame for frame in frames if os.path.realpath(frame.filename).startswith(tree)]
    outcome: dict[str, Any] = {"kind": "raised", "type": type(error).__name__, "text": _text_of(error)}
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        outcome["kind"] = "exit"
    if inside:
        last = inside[-1]
        path = os.path.relpath(os.path.realpath(last.filename), tree).replace(os.sep, "/")
        outcome["where"] = "%s:%d" % (path, last.lineno or 0)
        lookup = spec["lookup"]
        outcome["at_lookup"] = path == lookup["path"] and lookup["line"] <= (last.lineno or 0) <= lookup["end_line"]
    outcome["traceback"] = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-SHOWN:]
    return outcome


def _text_of(error: BaseException) -> str:
    return (f"{type(error).__name__}: {error}")[:SHOWN]


def _instance(owner: Any) -> Any:
    """Return an object of a class without running its constructor."""
    return object.__new__(owner)


def _device(kind: str) -> Any:
    """Return the first visible device: as a number, or as torch's device where there is torch."""
    if kind == "index":
        return 0
    try:
        import torch

        return torch.device("cuda", 0)
    except Exception:
        return 0


def _capability() -> list[int] | None:
    """Return what torch says the first visible device is, after the lookup has run."""
    torch = sys.modules.get("torch")
    if torch is None:
        try:
            torch = importlib.import_module("torch")
        except Exception:
            return None
    try:
        return [int(number) for number in torch.cuda.get_device_capability(0)]
    except Exception:
        return None


def _probe(spec: dict[str, Any], module: Any, value: Any) -> dict[str, Any]:
    """Run a probe file's `probe(value, context)`; anything it raises says that the value does not work."""
    wanted = spec["probe"]
    context = dict(wanted["context"], module=module, spec=spec, options=wanted.get("options", {}))
    try:
        probe = _load("_hwlint_probe", wanted["path"])
    except BaseException as error:
        return {"kind": "not-run", "text": "the probe cannot be loaded: " + _text_of(error)}
    lacking = [name for name in getattr(probe, "NEEDS", ()) if not _importable(name)]
    if lacking:
        return {"kind": "not-run", "text": "the probe needs {}".format(", ".join(lacking))}
    try:
        said = probe.probe(value, context)
    except getattr(probe, "CannotTell", ()) as error:
        return {"kind": "not-run", "text": str(error)[:SHOWN]}
    except ImportError as error:
        return {"kind": "not-run", "text": f"the probe cannot import what it needs: {error}"}
    except BaseException as error:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-SHOWN:]
        return {"kind": "raised", "type": type(error).__name__, "text": _text_of(error), "traceback": text}
    return dict(said or {}, kind="passed")


def _importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return name in sys.modules


if __name__ == "__main__":
    main()

"""The summary of a day: what is wrong first, then what was done and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accuracy.gpu_day.there.checked_parts import Checked, checked_parts, lines_of
from accuracy.gpu_day.there.journal import Ran, is_done
from accuracy.gpu_day.there.steps import STAGES, Step


def summary(gpu: str, steps: Sequence[Step], known: Mapping[str, Ran], count: int, spent_s: float) -> str:
    """Lines of text. `known` is what came of steps by digest, earlier runs included; `count` ran in this one."""
    found = [known[step.digest] for step in steps if step.digest in known]
    checked = [each for one in found for each in checked_parts(one)]
    wrong = [f"WRONG {each.label}: {each.difference}" for each in wrong_parts(found)]
    lost = [f"FAILED {one.step}: {_part_label(one, number)}" for one in found for number in one.lost]
    failed = [f"{one.state} {one.step}: {_last_line(one)}" for one in found if one.state in {"failed", "partial"}]
    left = [step for step in steps if not is_done(known.get(step.digest))]
    right = f"{len(checked) - len(wrong)} results are those of the C"
    return "\n".join(
        (
            *wrong,
            *lost,
            *([] if wrong or lost else [f"nothing is wrong: {right}" if checked else "nothing was checked"]),
            *failed,
            f"{gpu}: {count} steps ran in {spent_s:.0f} s; {right}",
            *(_stage(stage, steps, known) for stage in STAGES if any(step.stage == stage for step in steps)),
            f"left: {len(left)} steps, about {sum(step.estimate_s for step in left):.0f} s" if left else "all is done",
        )
    )


def wrong_parts(found: Sequence[Ran]) -> list[Checked]:
    """Results that are not those of the C."""
    return [each for one in found for each in checked_parts(one) if each.difference]


def _part_label(ran: Ran, number: int) -> str:
    """What a part of a step is called."""
    labels = (ran.about or {}).get("parts", [])
    return str(labels[number] if number < len(labels) else number)


def _stage(stage: str, steps: Sequence[Step], known: Mapping[str, Ran]) -> str:
    mine = [step for step in steps if step.stage == stage]
    done = [known[step.digest] for step in mine if is_done(known.get(step.digest))]
    return f"{stage}: {len(done)} of {len(mine)} steps are done, {sum(one.wall_s for one in done):.0f} s of programs"


def _last_line(ran: Ran) -> str:
    missing = [f"{line['variant']}: {line['missing']}" for line in lines_of(ran.output) if "missing" in line]
    return (missing or ran.messages.strip().splitlines() or ["no message"])[-1]

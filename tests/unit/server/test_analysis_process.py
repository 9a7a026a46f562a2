"""The event loop's side of the analysis process: answers, limits, deaths, restarts, turns."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from warplens.server.settings.settings import Settings
from warplens.server.worker.job import AnalysisJob, Answer
from warplens.server.worker.process import AnalysisFailedError, AnalysisProcess, AnalysisTimedOutError
from warplens.server.worker.turns import Turns, Wish

pytestmark = pytest.mark.process

FAKE = (sys.executable, "-P", str(Path(__file__).with_name("fake_child.py")))


@pytest_asyncio.fixture
async def process() -> AsyncIterator[AnalysisProcess]:
    process = AnalysisProcess(FAKE)
    yield process
    await process.stop()


async def analyse(process: AnalysisProcess, text: str, path: str = "f.c", limit_s: float = 60) -> Answer:
    async def make_job() -> AnalysisJob:
        return AnalysisJob(path, text, Settings(analysis_time_limit_s=limit_s), ())

    return await process.run_newest(make_job)


async def began(process: AnalysisProcess) -> None:
    """Wait until a job is under way."""
    while process.job is None:  # noqa: ASYNC110 - there is nothing else to wait for
        await asyncio.sleep(0.01)


@pytest.mark.asyncio
async def test_one_process_serves_job_after_job(process: AnalysisProcess) -> None:
    first = await analyse(process, "one")
    second = await analyse(process, "two")
    assert (first.preprocessor, second.preprocessor) == ("one", "two")
    assert second.recomputed.declarations_parsed == 2


@pytest.mark.asyncio
async def test_a_hang_is_ended_by_its_limit_and_names_the_nest(process: AnalysisProcess) -> None:
    with pytest.raises(AnalysisTimedOutError) as ended:
        await analyse(process, "hang", limit_s=0.2)
    assert (ended.value.function, ended.value.ordinal) == ("slow", 2)
    assert process.process_id is None
    assert (await analyse(process, "next")).recomputed.declarations_parsed == 1


@pytest.mark.asyncio
async def test_a_death_is_retried_once(process: AnalysisProcess, tmp_path: Path) -> None:
    assert (await analyse(process, "die once", str(tmp_path / "mark"))).preprocessor == "die once"


@pytest.mark.asyncio
async def test_a_second_death_is_a_failure_and_the_next_job_is_served(process: AnalysisProcess) -> None:
    with pytest.raises(AnalysisFailedError, match="died twice"):
        await analyse(process, "die")
    assert (await analyse(process, "next")).preprocessor == "next"


@pytest.mark.asyncio
async def test_an_exception_in_the_analysis_keeps_the_process(process: AnalysisProcess) -> None:
    await analyse(process, "one")
    before = process.process_id
    with pytest.raises(AnalysisFailedError) as failed:
        await analyse(process, "raise")
    assert failed.value.details == "Traceback"
    assert process.process_id == before


async def cancelled(task: asyncio.Future[Answer]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.asyncio
async def test_a_job_that_is_cancelled_gives_way_and_the_process_stays(process: AnalysisProcess) -> None:
    await process.start()
    before = process.process_id
    for served in (2, 4, 6):
        task = asyncio.ensure_future(analyse(process, "long"))
        await began(process)
        await cancelled(task)
        assert (await analyse(process, "next")).recomputed.declarations_parsed == served
    assert process.process_id == before


@pytest.mark.asyncio
async def test_a_job_that_is_cancelled_and_does_not_give_way_is_ended(
    process: AnalysisProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warplens.server.worker.process._LEAVE_LIMIT_S", 0.1)
    await process.start()
    task = asyncio.ensure_future(analyse(process, "hang"))
    await began(process)
    await cancelled(task)
    assert (await analyse(process, "next")).recomputed.declarations_parsed == 1


@pytest.mark.asyncio
async def test_what_is_known_of_a_job_that_was_cancelled_is_heard_by_nobody(process: AnalysisProcess) -> None:
    heard: list[Answer] = []

    async def make_job() -> AnalysisJob:
        return AnalysisJob("f.c", "slow but sure", Settings(), ())

    task = asyncio.ensure_future(process.run_newest(make_job, heard.append))
    while not heard:  # noqa: ASYNC110 - there is nothing else to wait for
        await asyncio.sleep(0.01)
    await cancelled(task)
    count = len(heard)
    await analyse(process, "next")
    assert len(heard) == count


@pytest.mark.asyncio
async def test_of_those_that_wait_the_file_that_was_looked_at_last_comes_first(process: AnalysisProcess) -> None:
    order: list[str] = []
    seen = {"first": 0.0, "hidden": 1.0, "visible": 3.0, "other": 2.0}

    async def run(name: str) -> None:
        async def make_job() -> AnalysisJob:
            order.append(name)
            return AnalysisJob(name, "slow but sure" if name == "first" else name, Settings(), ())

        await process.run_newest(make_job, seen_s=lambda: seen[name])

    await process.start()
    runs = [asyncio.ensure_future(run(name)) for name in ("first", "hidden", "other", "visible")]
    await asyncio.gather(*runs)
    assert order == ["first", "visible", "other", "hidden"]


@pytest.mark.asyncio
async def test_a_file_that_gave_way_comes_behind_those_that_had_no_turn(process: AnalysisProcess) -> None:
    order: list[str] = []

    async def run(name: str, texts: list[str]) -> None:
        async def make_job() -> AnalysisJob:
            order.append(name)
            return AnalysisJob(name, texts.pop(0), Settings(), ())

        await process.run_newest(make_job, patience_s=0.1, seen_s=lambda: 9.0 if name == "large" else 1.0)

    await process.start()
    large = asyncio.ensure_future(run("large", ["long", "made anew"]))
    await began(process)
    await asyncio.gather(large, *(run(name, ["quick"]) for name in ("a", "b", "c")))
    assert order == ["large", "a", "b", "c", "large"]


@pytest.mark.asyncio
async def test_a_turn_that_nobody_takes_any_more_goes_to_the_next(process: AnalysisProcess) -> None:
    turns = Turns()
    await turns.acquire(Wish.NEW)
    leaving, waiting = (asyncio.ensure_future(turns.acquire(wish)) for wish in (Wish.ASKED, Wish.BACKGROUND))
    await asyncio.sleep(0)
    turns.release()  # it is the first one's, which is cancelled before it hears so
    leaving.cancel()
    await waiting
    assert turns.locked()
    turns.release()
    assert not turns.locked()


@pytest.mark.asyncio
async def test_a_job_is_made_when_its_turn_has_come(process: AnalysisProcess) -> None:
    text = "old"

    async def make_job() -> AnalysisJob:
        return AnalysisJob("f.c", text, Settings(), ())

    first = asyncio.ensure_future(analyse(process, "first"))
    second = asyncio.ensure_future(process.run_newest(make_job))
    await asyncio.sleep(0)
    text = "new"
    assert (await first).preprocessor == "first"
    assert (await second).preprocessor == "new"


@pytest.mark.asyncio
async def test_a_process_that_can_not_start_is_a_failure() -> None:
    with pytest.raises(AnalysisFailedError, match="could not be started"):
        await analyse(AnalysisProcess((sys.executable, "-c", "pass")), "any")


@pytest.mark.asyncio
async def test_stopping_while_the_process_is_created_leaves_none_behind(process: AnalysisProcess) -> None:
    """A server that is told to exit at once: asyncio (3.11) never comes back from a creation that is cancelled."""
    started = asyncio.ensure_future(process.start())
    await asyncio.sleep(0)
    await asyncio.wait_for(process.stop(), 30)
    await asyncio.wait((started,))
    assert process.process_id is None


@pytest.mark.parametrize("turns", range(12))
def test_a_loop_that_ends_while_the_process_is_created_ends(turns: int) -> None:
    """A client that is gone right after its first messages, at each of the points where creating it waits."""

    async def end_early() -> asyncio.Task[None]:
        started = asyncio.ensure_future(AnalysisProcess(FAKE).start())
        for _ in range(turns):
            await asyncio.sleep(0)
        return started

    loop = threading.Thread(target=asyncio.run, args=(end_early(),), daemon=True)
    loop.start()
    loop.join(30)
    assert not loop.is_alive()


@pytest.mark.asyncio
async def test_nothing_is_started_once_it_is_closed(process: AnalysisProcess) -> None:
    started = asyncio.ensure_future(process.start())
    await process.close()
    await started
    assert process.process_id is None
    with pytest.raises(AnalysisFailedError, match="shutting down"):
        await analyse(process, "next")


@pytest.mark.asyncio
async def test_the_limit_is_that_of_one_nest_and_parts_arrive_meanwhile(process: AnalysisProcess) -> None:
    await process.start()
    parts: list[Answer] = []

    async def make_job() -> AnalysisJob:
        return AnalysisJob("f.c", "slow but sure", Settings(analysis_time_limit_s=0.4), ())

    whole = await process.run_newest(make_job, parts.append)
    assert whole.recomputed.declarations_parsed == 1
    assert [part.recomputed.declarations_parsed for part in parts] == [0, 1, 2, 3, 4]


@pytest.mark.asyncio
async def test_a_part_that_can_not_be_shown_leaves_nothing_to_the_next_job(process: AnalysisProcess) -> None:
    async def make_job() -> AnalysisJob:
        return AnalysisJob("f.c", "slow but sure", Settings(), ())

    def refuse(part: Answer) -> None:
        raise ValueError(part)

    with pytest.raises(ValueError, match="slow but sure"):
        await process.run_newest(make_job, refuse)
    assert (await analyse(process, "next")).preprocessor == "next"


@pytest.mark.asyncio
async def test_a_long_job_gives_way_and_goes_on_behind_the_one_that_waited(process: AnalysisProcess) -> None:
    texts = iter(["long", "made anew"])
    order: list[str] = []

    async def make_long() -> AnalysisJob:
        return AnalysisJob("long.c", next(texts), Settings(), ())

    async def quick() -> None:
        await process.run(AnalysisJob("quick.c", "quick", Settings(), ()))
        order.append("quick")

    long = asyncio.ensure_future(process.run_newest(make_long))
    await began(process)
    await quick()
    assert (await long).preprocessor == "made anew"
    assert order == ["quick"]


@pytest.mark.asyncio
async def test_work_in_the_background_presses_nobody(process: AnalysisProcess) -> None:
    async def make_long() -> AnalysisJob:
        return AnalysisJob("long.c", "long" if not waited.done() else "made anew", Settings(), ())

    waited = asyncio.ensure_future(asyncio.sleep(0.5))
    long = asyncio.ensure_future(process.run_newest(make_long))
    await began(process)
    behind = asyncio.ensure_future(process.run(AnalysisJob("b.c", "behind", Settings(), ()), is_in_background=True))
    await waited
    assert not behind.done()
    process.hurry()
    assert (await behind).preprocessor == "behind"
    assert (await long).preprocessor == "made anew"

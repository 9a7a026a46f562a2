"""An analysis process started before the event loop: jobs, limits, deaths and the end are as with any other."""

import os
import sys
from pathlib import Path

import pytest
from warplens.server.settings.settings import Settings
from warplens.server.worker.early_start import start_early
from warplens.server.worker.job import AnalysisJob, Answer
from warplens.server.worker.process import AnalysisFailedError, AnalysisProcess, AnalysisTimedOutError

FAKE = (sys.executable, "-P", str(Path(__file__).with_name("fake_child.py")))

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="its event loop takes over no pipes"),
    pytest.mark.cold_start,
    pytest.mark.process,
]


@pytest.fixture
def early() -> tuple[AnalysisProcess, int]:
    running = start_early(FAKE)
    assert running is not None
    return AnalysisProcess(FAKE, running), running.pid


async def analyse(process: AnalysisProcess, text: str, path: str = "f.c", limit_s: float = 60) -> Answer:
    return await process.run(AnalysisJob(path, text, Settings(analysis_time_limit_s=limit_s), ()))


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.asyncio
async def test_the_early_process_serves_the_jobs(early: tuple[AnalysisProcess, int]) -> None:
    process, process_id = early
    first = await analyse(process, "one")
    assert process.process_id == process_id
    assert (await analyse(process, "two")).recomputed.declarations_parsed == first.recomputed.declarations_parsed + 1
    await process.close()
    assert not is_alive(process_id)


@pytest.mark.asyncio
async def test_it_ends_with_the_server_though_it_was_never_used(early: tuple[AnalysisProcess, int]) -> None:
    process, process_id = early
    await process.close()
    assert not is_alive(process_id)
    with pytest.raises(AnalysisFailedError, match="shutting down"):
        await analyse(process, "late")


@pytest.mark.asyncio
async def test_a_hang_ends_it_and_the_next_job_has_a_new_one(early: tuple[AnalysisProcess, int]) -> None:
    process, process_id = early
    with pytest.raises(AnalysisTimedOutError):
        await analyse(process, "hang", limit_s=0.2)
    assert not is_alive(process_id)
    assert (await analyse(process, "next")).preprocessor == "next"
    assert process.process_id not in {None, process_id}
    await process.close()


@pytest.mark.asyncio
async def test_its_death_is_noticed_and_the_job_done_by_a_new_one(
    early: tuple[AnalysisProcess, int], tmp_path: Path
) -> None:
    process, process_id = early
    assert (await analyse(process, "die once", str(tmp_path / "mark"))).preprocessor == "die once"
    assert process.process_id != process_id
    await process.close()

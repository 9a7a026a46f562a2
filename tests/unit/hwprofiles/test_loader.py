"""The loader: names, strictness, user profiles, provenance and assumptions."""

from pathlib import Path

import pytest
from warplens.analysis.gpu.machine.gpu import GpuPerfMachine
from warplens.hwprofiles.loader import gpu_names, load_gpu, load_profile
from warplens.hwprofiles.profile import ProfileError

_OWN = """\
schema = 1
id = "mine"
name = "My A100"
extends = "a100"

[device]
sm_clock_mhz = { value = 705, unit = "MHz", kind = "measured", source = "nvidia-smi" }
"""


_PUBLISHED = (
    "gtx460", "gtx580", "gtx480", "c2050", "k20", "fx5600", "8800gtx", "gtx280", "gtx680", "gtx980", "gtx1080",
    "p100_pcie", "p100_sxm2", "v100_pcie", "v100_sxm2", "t4", "rtx2080ti", "a100_pcie_40", "a100_sxm4_40",
    "a100_pcie_80", "a100_sxm4_80", "rtx3080", "rtx3090", "a40", "a4000", "a6000", "rtx4090", "l4", "l40", "l40s",
    "h100_pcie", "h100_sxm", "gh200", "h200", "b200", "rtx5090", "mi210", "mi250x_gcd", "mi300x",
)  # fmt: skip
"""GPUs of which values were collected, each by the name that it has there."""


def write(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_gpus_that_come_along() -> None:
    ids = {load_gpu(name).id for name in _PUBLISHED}
    assert ids == set(gpu_names())
    assert len(gpu_names()) == len(_PUBLISHED) == 39


@pytest.mark.parametrize("name", gpu_names())
def test_every_profile_is_complete_and_sane(name: str) -> None:
    gpu = load_gpu(name)
    assert gpu.id == name
    assert gpu.dram.bandwidth_bytes_per_s <= gpu.dram.theoretical_bandwidth_bytes_per_s
    if gpu.l2.size_bytes:
        assert gpu.l2.bandwidth_bytes_per_s > gpu.dram.bandwidth_bytes_per_s
        assert gpu.shared.latency_cycles < gpu.l2.latency_cycles < gpu.dram.latency_cycles
    else:
        assert gpu.l1.size_bytes == gpu.l2.latency_cycles == gpu.l2.bandwidth_bytes_per_s == 0
    assert all(timing.latency_cycles > 0 < timing.results_per_cycle_per_sm for timing in gpu.instructions)
    assert len({provenance.key for provenance in gpu.provenance}) == len(gpu.provenance) > 80


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A100", "a100"),
        ("a100", "a100"),
        ("NVIDIA A100-SXM4-40GB", "a100"),
        ("RTX 2080 Ti", "rtx2080ti"),
        ("NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"),
        ("Tesla V100", "v100"),
        ("gtx 460", "gtx460"),
        ("GeForce 8800 GTX", "8800gtx"),
        ("NVIDIA RTX A4000", "a4000"),
        ("AMD Instinct MI250X", "mi250x"),
        ("AMD Instinct MI300X", "mi300x"),
        ("NVIDIA A100 80GB PCIe", "a100_pcie_80"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA GeForce RTX 5090", "rtx5090"),
        ("Tesla P100-PCIE-16GB", "p100_pcie"),
    ],
)
def test_friendly_names(name: str, expected: str) -> None:
    assert load_gpu(name).id == expected


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ProfileError, match="known: 8800gtx, a100, a100_pcie_40"):
        load_gpu("voodoo2")
    with pytest.raises(ProfileError, match=r"did you mean rtx4090 or rtx3080 or gtx480\?$"):
        load_gpu("RTX 4080")


def test_weak_values_are_shown_and_strong_ones_are_not() -> None:
    gpu = load_gpu("a100")
    kinds = {provenance.key: provenance.kind for provenance in gpu.provenance}
    shown = {assumption.subject for assumption in gpu.assumptions}
    weak = {"measured_proxy", "simulator_config", "memory", "assumed"}
    assert shown == {key for key, kind in kinds.items() if kind in weak}
    assert "host.context_init_ms" in shown
    assert "dram.bandwidth_gb_per_s" not in shown
    assert all(assumption.kind == "profile" and assumption.text.endswith(".") for assumption in gpu.assumptions)


def test_peak_parallelism_follows_from_littles_law_where_nobody_measured_it() -> None:
    kinds = {name: load_profile(name).entries["device.memory_warps_to_peak"].kind for name in gpu_names()}
    by_law = [name for name, kind in kinds.items() if kind in {"derived", "measured_proxy"}]
    assert len(by_law) > len(kinds) - 3
    for name in by_law:
        gpu = load_gpu(name)
        request_bytes = 4 * gpu.warp_size_threads
        in_flight = gpu.dram.latency_cycles * gpu.dram_bytes_per_cycle_per_sm / request_bytes
        assert gpu.memory_warps_to_peak == pytest.approx(in_flight, rel=0.01)


@pytest.mark.parametrize("name", gpu_names())
def test_units_work_beside_each_other_since_volta(name: str) -> None:
    """Named apart here: what profiles say of their compute capability decides."""
    older = {"8800gtx", "fx5600", "gtx280", "c2050", "gtx460", "gtx480", "gtx580", "gtx680", "k20", "gtx980", "gtx1080"}
    older |= {"p100_pcie", "p100_sxm2", "mi210", "mi250x", "mi300x"}
    assert load_gpu(name).has_units_apart == (name not in older)


@pytest.mark.parametrize("name", gpu_names())
def test_a_proxy_was_measured_elsewhere(name: str) -> None:
    """A value that was measured on the device itself says so."""
    gpu = load_profile(name)
    own = {gpu.name, gpu.name.removeprefix("GeForce "), gpu.id}
    assert [
        key for key, entry in gpu.entries.items() if entry.kind == "measured_proxy" and entry.measured_on in own
    ] == []


@pytest.mark.parametrize("name", gpu_names())
def test_every_gpu_says_what_launches_and_short_requests_cost(name: str) -> None:
    gpu = load_gpu(name)
    assert 1e-6 < gpu.kernel_start_s < 5e-6
    assert gpu.block_launch_cycles is not None
    assert 32 <= gpu.l2_port_bytes_per_cycle < 256
    assert 32 < gpu.dram.least_run_bytes <= 128
    assert (gpu.l2.lookup_bytes > 0) == gpu.has_units_apart
    # Parts of 32 bytes are slower than whole ones.
    whole = gpu.l2.bandwidth_bytes_per_s / 32
    assert gpu.l2.partial_stores_per_s is None if not whole else 0.1 * whole < gpu.l2.partial_stores_per_s < 0.6 * whole


def test_latency_is_converted_from_the_clock_it_was_measured_at() -> None:
    # 500 cycles of the GTX 460 at 1350 MHz are 370 ns, 579 cycles of the GTX 580 at 1564 MHz.
    assert load_gpu("gtx580").dram.latency_cycles == pytest.approx(500 * 1564 / 1350)


def test_own_profile_changes_only_what_it_names(tmp_path: Path) -> None:
    own, base = load_gpu(write(tmp_path, _OWN)), load_gpu("a100")
    assert (own.id, own.name, own.clock_hz) == ("mine", "My A100", 705e6)
    assert own.dram.latency_cycles == base.dram.latency_cycles / 2
    assert own.dram.bandwidth_bytes_per_s == base.dram.bandwidth_bytes_per_s
    assert own.shared == base.shared


@pytest.mark.parametrize(
    ("old", "new", "key", "line", "reason"),
    [
        ("sm_clock_mhz", "sm_clock", "device.sm_clock", 7, "unknown key"),
        ("[device]", "[divice]", "divice", 6, "unknown section"),
        ('"MHz"', '"GHz"', "device.sm_clock_mhz", 7, 'must be "MHz"'),
        ("value = 705", 'value = "705"', "device.sm_clock_mhz", 7, "must be a number"),
        ("value = 705", "value = true", "device.sm_clock_mhz", 7, "must be a number"),
        ("value = 705", "value = 0", "device.sm_clock_mhz", 7, "zero"),
        ("value = 705", "value = -1", "device.sm_clock_mhz", 7, "not negative"),
        ("value = 705", "value = nan", "device.sm_clock_mhz", 7, "finite"),
        ('kind = "measured"', 'kind = "guessed"', "device.sm_clock_mhz", 7, "guessed"),
        ('kind = "measured"', 'kind = "measured_proxy"', "device.sm_clock_mhz", 7, "measured_on"),
        ('source = "nvidia-smi"', 'source = ""', "device.sm_clock_mhz", 7, "source is empty"),
        (', source = "nvidia-smi"', "", "device.sm_clock_mhz", 7, "no source"),
        ('kind = "measured"', 'kind = "model_fit"', "device.sm_clock_mhz", 7, "says fitted_to"),
        ('kind = "measured"', 'kind = "model_fit", fitted_to = "a"', "device.sm_clock_mhz", 7, "says checked_on"),
        ('kind = "measured"', 'kind = "measured", fitted_to = "a"', "device.sm_clock_mhz", 7, "for kind model_fit"),
        ("kind =", "kynd =", "device.sm_clock_mhz", 7, "unknown field"),
        ("schema = 1", "schema = 2", "schema", 1, "is 2: a later Warplens wrote this file"),
        ("schema = 1", "schema = true", "schema", 1, "must be 1"),
        ("value = 705", "value = 1e-3", "device.sm_clock_mhz", 7, "no plausible number of MHz: 1 to 20000 is"),
        ("value = 705", "value = 705000000", "device.sm_clock_mhz", 7, "no plausible number of MHz"),
        ('name = "My A100"', "name = 3", "name", 3, "non-empty"),
        ('id = "mine"\n', "", "id", 0, "non-empty"),
        ('extends = "a100"\n', "", "device.compute_capability", 5, "missing"),
        (
            'extends = "a100"',
            'extends = "a1000"',
            "extends",
            4,
            "a1000: no GPU profile of that name; did you mean a100",
        ),
        ("schema = 1", "schema = ", "", 1, "not TOML"),
    ],
)
def test_errors_name_file_key_and_line(tmp_path: Path, old: str, new: str, key: str, line: int, reason: str) -> None:
    assert old in _OWN
    path = write(tmp_path, _OWN.replace(old, new))
    with pytest.raises(ProfileError) as caught:
        load_gpu(path)
    assert (caught.value.file, caught.value.key, caught.value.line) == (path, key, line)
    assert reason in str(caught.value)
    assert path in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("schema: 1\na: &a [x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n", "not TOML"),
        ("schema = 1\na = " + "[" * 50_000, "Nested too deeply"),
        ("a" + ".a" * 50_000 + " = 1\n", "More than 400 dots"),
        ("[a" + ".a" * 50_000 + "]\n", "More than 400 dots"),
        ("schema = " + "9" * 10_000, "integer string conversion"),
        ("# " + "x" * (1 << 18), "larger than 256 KiB"),
    ],
    ids=["yaml-bomb", "nested", "dotted-key", "dotted-table", "digits", "large"],
)
def test_a_file_that_would_take_all_memory_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ProfileError, match=reason):
        load_gpu(write(tmp_path, text))


def test_what_was_measured_on_another_device_is_a_proxy(tmp_path: Path) -> None:
    other = '[device]\nsm_count = { value = 98, unit = "SMs", kind = "measured", source = "me" }\n'
    gpu = load_gpu(write(tmp_path, _OWN.replace("[device]\n", other)))
    origins = {provenance.key: provenance for provenance in gpu.provenance}
    assert (origins["device.sm_count"].kind, origins["device.sm_clock_mhz"].kind) == ("measured", "measured")
    proxy = origins["dram.bandwidth_gb_per_s"]
    assert (proxy.kind, proxy.measured_on) == ("measured_proxy", "A100 SXM4 40 GB")
    same = {provenance.key: provenance.kind for provenance in load_gpu(write(tmp_path, _OWN)).provenance}
    assert same["dram.bandwidth_gb_per_s"] == "measured"


def test_latency_without_its_clock_is_refused(tmp_path: Path) -> None:
    entry = '[dram]\nlatency_cycles = { value = 500, unit = "cycles", kind = "measured", source = "me" }\n'
    with pytest.raises(ProfileError, match="clock_mhz"):
        load_gpu(write(tmp_path, _OWN + entry))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"can't be read: No such file or directory$"):
        load_gpu(str(tmp_path / "nothing.toml"))


@pytest.mark.parametrize(
    ("section", "key", "unit", "value", "reason"),
    [
        ("occupancy", "max_threads_per_block", "threads", 16, "is 16, less than device.warp_size_threads, which is 32"),
        ("occupancy", "shared_per_block_bytes", "bytes", 10**6, "is 1000000, more than occupancy.shared_per_sm_bytes"),
        ("l2", "sector_bytes", "bytes", 256, "is 256, more than l2.line_bytes, which is 128"),
        ("dram", "bandwidth_gb_per_s", "GB/s", 1555.5, "is 1555.5, more than dram.theoretical_bandwidth_gb_per_s"),
    ],
)
def test_values_that_contradict_each_other_are_refused(
    tmp_path: Path, section: str, key: str, unit: str, value: float, reason: str
) -> None:
    entry = f'[{section}]\n{key} = {{ value = {value}, unit = "{unit}", kind = "measured", source = "me" }}\n'
    with pytest.raises(ProfileError) as caught:
        load_gpu(write(tmp_path, _OWN + entry))
    assert (caught.value.key, caught.value.line) == (f"{section}.{key}", 9)
    assert reason in str(caught.value)


def test_what_is_printed_is_what_could_be_used(tmp_path: Path) -> None:
    entry = '[host]\nresios_peak_mb_per_s = { value = 5000, unit = "MB/s", kind = "measured", source = "me" }\n'
    with pytest.raises(ProfileError, match="needs peak, slope and intercept"):
        load_profile(write(tmp_path, _OWN + entry))


def test_a_fit_says_what_it_was_fitted_to_and_checked_on() -> None:
    lines = {p.key: p for p in load_gpu("k20").provenance}["l1.lines_per_clk_per_sm"]
    assert lines.kind == "model_fit"
    assert "n = 5632" in lines.fitted_to
    assert "n = 2816" in lines.checked_on


def test_machine_values_of_the_papers_models_are_optional(tmp_path: Path) -> None:
    entry = '[gpuperf]\nsync_factor = { value = 64, unit = "-", kind = "measured", source = "me" }\n'
    gpu = load_gpu(write(tmp_path, _OWN + entry))
    assert gpu.gpuperf == GpuPerfMachine(sync_factor=64.0, departure_delay_cycles=None)
    assert gpu.mwp_cwp is None
    assert load_gpu("a100").gpuperf is None


def test_the_documentation_names_every_gpu() -> None:
    page = (Path(__file__).parents[3] / "docs" / "profiles.md").read_text(encoding="utf-8")
    assert [name for name in gpu_names() if f"`{name}`" not in page] == []

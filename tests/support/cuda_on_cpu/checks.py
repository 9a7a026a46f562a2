"""C text that runs an original and its ports on equal memory, in several orders of threads, and compares results."""

from __future__ import annotations

from collections.abc import Sequence

from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.signature import Parameter, signature

_FLOATS = {"float": "FLT_EPSILON", "double": "DBL_EPSILON"}
_SCALAR = "2"


def port_name(case: Case, function: str, number: int) -> str:
    """The name of a function that calls the port, in the file of the check."""
    return f"{case.name}_{function}_{number}"


def check_names(case: Case, number: int) -> list[str]:
    """Of the functions that run a port, each in a process of its own: one of them, or one for each of the sizes."""
    return [f"{case.name}_{number}_{at}" for at in range(len(case.sizes) if case.alone else 1)]


def check(case: Case, ports: Sequence[int]) -> str:
    """Functions `check_<name>(void)` for the ports of these numbers, each called `port_name` in the same file.

    Memory is of the length that the case says, so that the sanitizer sees what reads beyond it.
    """
    called = signature(case.source, case.called, case.lengths)
    arrays = [parameter for parameter in called.parameters if parameter.is_array]
    integers = [p for p in called.parameters if not p.is_array and p.type not in _FLOATS]
    lines = [
        f"static void check_{case.name}(__typeof__({case.called}) *port_, "
        + "".join(f"{p.type} {p.name}, " for p in integers)
        + "int exact, unsigned order, const char *where)",
        "{",
        "    (void)exact, (void)where;",
    ]
    lines += [
        f"    {p.type} {p.name} = exact ? 3 : 0.375;"
        for p in called.parameters
        if p.type in _FLOATS and p not in arrays
    ]
    lines.append("    random_state = 1 + exact;")
    for array in arrays:
        lines += _made(array, case)
    bounds = [f"{array.name}_bound" for array in arrays] if case.terms else []
    if case.terms:
        for array in arrays:
            lines.append(f"    {array.type} *{array.name}_bound = copy_({array.name}_, {array.name}_bytes);")
            if array.type in _FLOATS:
                lines.append(f"    MAKE_ABSOLUTE({array.type}, {array.name}_bound, {array.name}_count)")
        lines.append(f"    {_call(case.called, called.result, called.parameters, '_bound', 'bound_result')}")
    lines.append(f"    {_call(case.called, called.result, called.parameters, '_', 'should_result')}")
    lines.append("    cuda_order(order);")
    lines.append("    cuda_done();")
    lines += [f"    cuda_host({array.name}_port, {array.name}_bytes);" for array in arrays]
    lines.append(f"    {_call('port_', called.result, called.parameters, '_port', 'is_result')}")
    lines.append("    cuda_done();")
    lines += [f"    {_compared(array, case)}" for array in arrays]
    if called.result != "void":
        terms, epsilon = (
            (_terms(case), _FLOATS[called.result]) if case.terms and called.result in _FLOATS else ("0", "0")
        )
        bound = "&bound_result" if case.terms else "&should_result"
        lines.append(
            f'    COMPARE({called.result}, "the result", &is_result, &should_result, {bound}, '
            f"{terms}, {epsilon}, 1, where)"
        )
    names = [f"{array.name}{suffix}" for array in arrays for suffix in ("_", "_port")] + bounds
    lines += [f"    free({name});" for name in names]
    lines.append("}")
    for number in ports:
        lines += _runs(case, number, integers)
    return "\n".join(lines) + "\n"


def _made(array: Parameter, case: Case) -> list[str]:
    """An array of random numbers and its copy for the port."""
    name, kind = array.name, array.type
    fill, _, argument = case.fills.get(name, "").partition(" ")
    lines = [
        f"    long {name}_length = {array.length};",
        f"    size_t {name}_count = {name}_length > 0 ? {name}_length : 0;",
        f"    size_t {name}_bytes = {name}_count * sizeof({kind});",
        f"    {kind} *{name}_ = malloc({name}_bytes);",
    ]
    match fill:
        case "index" | "permutation" | "rows":
            lines.append(f"    FILL_{fill.upper()}({kind}, {name}_, {name}_count, {argument or 0})")
        case "float" | "double":
            lines.append(f"    FILL_FLOATS({fill}, {name}_, {name}_bytes / sizeof({fill}), exact)")
        case "" if kind in _FLOATS:
            lines.append(f"    FILL_FLOATS({kind}, {name}_, {name}_count, exact)")
        case _:
            whole = fill or kind
            lines.append(f"    FILL_INTEGERS({whole}, {name}_, {name}_bytes / sizeof({whole}))")
    return [*lines, f"    {kind} *{name}_port = copy_({name}_, {name}_bytes);"]


def _compared(array: Parameter, case: Case) -> str:
    name, kind = array.name, array.type
    if kind not in _FLOATS:
        return f'COMPARE_BYTES("{name}", {name}_port, {name}_, {name}_bytes, where)'
    terms, bound = (_terms(case), f"{name}_bound") if case.terms else ("0", f"{name}_")
    return f'COMPARE({kind}, "{name}", {name}_port, {name}_, {bound}, {terms}, {_FLOATS[kind]}, {name}_count, where)'


def _terms(case: Case) -> str:
    return f"exact ? 0 : {case.terms}" if case.is_exact else case.terms


def _call(function: str, result: str, parameters: tuple[Parameter, ...], suffix: str, variable: str) -> str:
    arguments = ", ".join(f"(void *){p.name}{suffix}" if p.is_array else p.name for p in parameters)
    return f"{'' if result == 'void' else f'{result} {variable} = '}{function}({arguments});"


def _runs(case: Case, number: int, integers: list[Parameter]) -> list[str]:
    """The checks of one port: all sizes; reals in all orders, numbers of which sums are exact in one."""
    lines = []
    each = [(sizes,) for sizes in case.sizes] if case.alone else [case.sizes]
    for name, together in zip(check_names(case, number), each, strict=True):
        lines += [f"void check_{name}(void)", "{", "    for (int exact = 0; exact < 2; exact++)"]
        lines.append("        for (unsigned order = 0; order < (exact ? 1 : ORDERS); order++) {")
        for sizes in together:
            values = "".join(f"{sizes.get(p.name, _SCALAR)}, " for p in integers)
            said = ", ".join(f"{name} = {value}" for name, value in sizes.items())
            port = port_name(case, case.called, number)
            lines.append(f'            check_{case.name}({port}, {values}exact, order, "{said}");')
        lines += ["        }", "}"]
    return lines

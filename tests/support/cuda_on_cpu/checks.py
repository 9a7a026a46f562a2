"""C text that runs an original and its ports on equal memory, in several orders of threads, and compares results."""

from __future__ import annotations

from collections.abc import Collection, Sequence

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


def check(case: Case, ports: Sequence[int], mapped: Collection[int] = ()) -> str:
    """Functions `check_<name>(void)` for the ports of these numbers, each called `port_name` in the same file.

    Those `mapped` have their sums in parts.

    Memory is of the length that the case says, so that the sanitizer sees what reads beyond it.
    """
    called = signature(case.source, case.called, case.lengths)
    arrays = [parameter for parameter in called.parameters if parameter.is_array]
    integers = [p for p in called.parameters if not p.is_array and p.type not in _FLOATS]
    lines = [
        f"static void check_{case.name}(__typeof__({case.called}) *port_, "
        + "".join(f"{p.type} {p.name}, " for p in integers)
        + "int mapped, int exact, unsigned order, const char *where)",
        "{",
        f"    double terms_ = {case.terms or 0} + (mapped ? {case.mapped_terms} : 0);",
        f"    terms_ = {'exact ? 0 : terms_' if case.is_exact else 'terms_'};",
        "    (void)terms_, (void)where;",
    ]
    lines += [
        f"    {p.type} {p.name} = exact ? 3 : 0.375;"
        for p in called.parameters
        if p.type in _FLOATS and p not in arrays
    ]
    lines.append("    random_state = 1 + exact;")
    for array in arrays:
        lines += _made(array, case)
    bounds = [f"{array.name}_bound" for array in arrays]
    is_called = bool(case.terms or mapped)  # once more, which what it keeps may not bear
    for array in arrays:
        lines.append(f"    {array.type} *{array.name}_bound = copy_({array.name}_, {array.name}_bytes);")
        kind = _number(array, case)
        if kind in _FLOATS:
            lines.append(f"    MAKE_ABSOLUTE({kind}, {array.name}_bound, {array.name}_bytes / sizeof({kind}))")
    if is_called:
        lines.append(f"    {_call(case.called, called.result, called.parameters, '_bound', 'bound_result')}")
    elif called.result != "void":
        lines.append(f"    {called.result} bound_result = 0;")
    lines.append(f"    {_call(case.called, called.result, called.parameters, '_', 'should_result')}")
    lines.append("    cuda_order(order);")
    lines.append("    cuda_done();")
    lines += [f"    cuda_host({array.name}_port, {array.name}_bytes);" for array in arrays]
    lines.append(f"    {_call('port_', called.result, called.parameters, '_port', 'is_result')}")
    lines.append("    cuda_done();")
    lines += [f"    {_compared(array, case)}" for array in arrays]
    if called.result != "void":
        terms, epsilon = ("terms_", _FLOATS[called.result]) if called.result in _FLOATS else ("0", "0")
        lines.append(
            f'    COMPARE({called.result}, "the result", &is_result, &should_result, &bound_result, '
            f"{terms}, {epsilon}, 1, where)"
        )
    names = [f"{array.name}{suffix}" for array in arrays for suffix in ("_", "_port")] + bounds
    lines += [f"    free({name});" for name in names]
    lines.append("}")
    for number in ports:
        lines += _runs(case, number, integers, is_mapped=number in mapped)
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
    name, kind = array.name, _number(array, case)
    if kind not in _FLOATS:
        return f'COMPARE_BYTES("{name}", {name}_port, {name}_, {name}_bytes, where)'
    numbers = (f"({kind} *){name}_{suffix}" for suffix in ("port", "", "bound"))
    compared = f'"{name}", {", ".join(numbers)}, terms_, {_FLOATS[kind]}, {name}_bytes / sizeof({kind})'
    return f"COMPARE({kind}, {compared}, where)"


def _number(array: Parameter, case: Case) -> str:
    """The type of an array's numbers, of a structure that is filled with one kind of them too."""
    fill = case.fills.get(array.name, "")
    return fill if fill in _FLOATS else array.type


def _call(function: str, result: str, parameters: tuple[Parameter, ...], suffix: str, variable: str) -> str:
    arguments = ", ".join(f"(void *){p.name}{suffix}" if p.is_array else p.name for p in parameters)
    return f"{'' if result == 'void' else f'{result} {variable} = '}{function}({arguments});"


def _runs(case: Case, number: int, integers: list[Parameter], *, is_mapped: bool) -> list[str]:
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
            lines.append(f'            check_{case.name}({port}, {values}{int(is_mapped)}, exact, order, "{said}");')
        lines += ["        }", "}"]
    return lines

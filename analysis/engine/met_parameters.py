"""Pointers of a function that its callers in the file lead into one object, through other functions of the file too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, product

from warplens.analysis.dependence.pointers.aliasing import may_overlap
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction
from warplens.analysis.frontend.effects.call_sites import CallSite, PassedAddress, PassedObject, PointerSetting, Way
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import ArrayObject, LoopNest, MetPair
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name

_MOST_ASKED = 100
"""Functions that call each other, each with two of its names, that are asked for one pair of a nest."""
_MOST_MET = 64
"""Calls and settings that are looked at for one pair."""
_MOST_SETTINGS = 64
"""Places that set one pointer of the file, of those that are looked at."""


_Asked = set[tuple[str, str, str]]
"""Functions with two of their names, of which callers are known already."""


class MetParameters:
    """Answers for the functions of one file; `handed_out` may be called through pointers."""

    def __init__(self, functions: Sequence[LoweredFunction], handed_out: Collection[str] = ()) -> None:
        self._functions = {function.name: function for function in functions}
        self._sites: dict[str, list[tuple[str, CallSite]]] = {}
        self._settings: dict[str, list[tuple[str, PassedAddress]]] = {}
        self._members: dict[str, list[tuple[str, PointerSetting]]] = {}
        pointed = [self._functions[name] for name in sorted(handed_out) if name in self._functions]
        for caller in functions:
            for site in caller.calls:
                led_to = (one.name for one in pointed if len(one.parameters) == len(site.addresses))
                for callee in (site.callee,) if site.callee else led_to:
                    self._sites.setdefault(callee, []).append((caller.name, site))
            for setting in caller.settings:
                if setting.member:
                    self._members.setdefault(setting.member, []).append((caller.name, setting))
                else:
                    self._settings.setdefault(setting.variable, []).append((caller.name, setting.address))

    def of(self, nest: LoopNest, function: str) -> tuple[MetPair, ...]:
        """Pairs of arrays of a nest that C lets overlap, and that some call or setting lets overlap or may."""
        if function not in self._sites and not self._settings and not self._members:
            return ()
        arrays = [array for array in nest.arrays if array.scope in {"parameter", "global"}]
        pairs = (pair for pair in combinations(arrays, 2) if may_overlap(*pair))
        return tuple(found for left, right in pairs for found in self._met(function, left, right))

    def _met(self, function: str, left: ArrayObject, right: ArrayObject) -> list[MetPair]:
        names = c_name(left.name), c_name(right.name)
        found = chain(
            self._set_to_one_object(function, *names),
            self._members_of_one_object(function, *names),
            self._found(function, *names, names, set()),
        )
        first = list(dict.fromkeys(islice(found, _MOST_MET + 1)))
        # What is not looked at may be anywhere: the last of too many stands for it.
        return first if len(first) <= _MOST_MET else [*first[:-1], replace(first[-1], distance=None)]

    def _set_to_one_object(self, function: str, left: str, right: str) -> Iterator[MetPair]:
        """Where the file sets pointers of its own to addresses in one object; a setting counts wherever it is."""
        parameters = self._functions[function].parameters if function in self._functions else ()
        if left in parameters or right in parameters or not {left, right} & self._settings.keys():
            return
        if any(len(self._set_to(name)) > _MOST_SETTINGS for name in (left, right)):
            yield MetPair(left, right, "more places of this file set them than are looked at", None)
            return
        for where, one in [("", _itself(left)), *self._set_to(left)]:
            for elsewhere, other in [("", _itself(right)), *self._set_to(right)]:
                set_to = ((where, left, one), (elsewhere, right, other))
                said = " and ".join(f"`{place}` sets `{name}` to `{to.text}`" for place, name, to in set_to if place)
                if where == elsewhere or not where or not elsewhere:
                    if _is_one_object(one, other):
                        distance = _distance(self._from_start(one), self._from_start(other))
                        yield from self._at_calls(function, MetPair(left, right, said, distance))
                    elif where or elsewhere:
                        for found in self._passed_on(where or elsewhere, one, other, (left, right), set()):
                            yield replace(found, said=f"{said}, and {found.said}")
                elif any(
                    _is_one_object(*pair)
                    for pair in product(self._origins(where, one, set()), self._origins(elsewhere, other, set()))
                ):
                    yield MetPair(left, right, said, None)

    def _from_start(self, address: PassedAddress) -> PassedAddress:
        """An address as counted from where pointers of the file lead that are set in one place only."""
        for _ in range(_MOST_SETTINGS):
            settings = self._set_to(address.base) if address.is_of_file else []
            if len(settings) != 1:
                break
            start = settings[0][1]
            address = replace(start, offset=_sum(start.offset, address.offset))
        return address

    def _set_to(self, variable: str) -> list[tuple[str, PassedAddress]]:
        """What functions set a variable of the file to, each with the function."""
        return [(place, way.address) for place, one in self._settings.get(variable, ()) for way in _ways(one)]

    def _origins(self, function: str, address: PassedAddress, asked: set[tuple[str, str]]) -> Iterator[PassedAddress]:
        """Variables of the file that an address may be in, also those that callers pass."""
        if address.is_of_file or _is_in_variable(address):
            yield address
        own = self._functions[function].parameters if function in self._functions else ()
        for name in _variables(address, own):
            if name not in own or (function, name) in asked:
                continue
            asked.add((function, name))
            for caller, site in self._sites.get(function, ()):
                passed = self._address(function, site, name)
                for way in _ways(passed) if passed is not None else ():
                    yield from self._origins(caller, way.address, asked)

    def _at_calls(self, function: str, met: MetPair) -> Iterator[MetPair]:
        """What calls of the nest's function pass with pointers that were set before; their distance is a number."""
        sites = self._sites.get(function, ()) if met.distance is not None and met.distance.is_constant else ()
        numbers = dict.fromkeys(self._numbers(function, site) for _, site in sites)
        for arguments in numbers or ((),):
            yield replace(met, arguments=arguments)

    def _members_of_one_object(self, function: str, left: str, right: str) -> Iterator[MetPair]:
        """Where a function sets members of one structure to addresses in one object, or one to what the other is."""
        one, other = MemoryPath.of(left), MemoryPath.of(right)
        if not (one.members and other.members) or one.base != other.base or one.steps[:-1] != other.steps[:-1]:
            return
        members = one.members[-1], other.members[-1]
        settings = [(place, s) for member in dict.fromkeys(members) for place, s in self._members.get(member, ())]
        for where, holder in dict.fromkeys((place, setting.holder) for place, setting in settings):
            here = [setting for place, setting in settings if (place, setting.holder) == (where, holder)]
            for first, second in product(*(_set_in(here, holder, member) for member in members)):
                if _is_one_object(first.address, second.address):
                    set_to = (s for s in (first, second) if s.address.text != s.variable)
                    said = " and ".join(f"`{s.variable}` to `{s.address.text}`" for s in set_to)
                    distance = _distance(first.address, second.address)
                    yield from self._at_calls(function, MetPair(left, right, f"`{where}` sets {said}", distance))

    def _found(self, function: str, left: str, right: str, shown: tuple[str, str], asked: _Asked) -> Iterator[MetPair]:
        """Calls that lead both into one object; `shown` are the names in the nest, `asked` what was asked so far."""
        own = self._functions[function].parameters if function in self._functions else ()
        is_passed = any(MemoryPath.of(name).base in own for name in (left, right))
        if not is_passed or (function, left, right) in asked:
            return
        if len(asked) >= _MOST_ASKED:
            yield MetPair(*shown, f"more functions lead to `{function}` than are looked at", None)
            return
        asked.add((function, left, right))
        for caller, site in self._sites.get(function, ()):
            passed = [self._address(function, site, name) for name in (left, right)]
            one, other = passed
            if one is None or other is None:
                continue
            pairs = list(self._pairs(one, other))
            met = next((pair for pair in pairs if _is_one_object(*pair)), None)
            if met is not None:
                texts = [f"`{address.text}`" for address in (one, other)]
                both = texts[0] if one.text == other.text else " and ".join(texts)
                through = "" if site.callee else f" through a pointer to `{function}`"
                said = (
                    f"`{caller}` {'passes' if site.callee else 'may pass'} {both} for `{left}` and `{right}`{through}"
                )
                is_certain = not (one.ways or other.ways)
                distance = _distance(*met) if is_certain else None
                yield MetPair(*shown, said, distance, self._numbers(function, site))
            elif caller != function:
                yield from self._passed_on(caller, one, other, shown, asked)

    def _passed_on(
        self, caller: str, one: PassedAddress, other: PassedAddress, shown: tuple[str, str], asked: _Asked
    ) -> Iterator[MetPair]:
        """Calls of a function that lead into one object what two addresses in it are counted from."""
        own = self._functions[caller].parameters
        for first, second in product(_variables(one, own), _variables(other, own)):
            if first != second and (first in own or second in own):
                for found in self._found(caller, first, second, shown, asked):
                    yield MetPair(*shown, found.said, None)

    def _pairs(self, one: PassedAddress, other: PassedAddress) -> Iterator[tuple[PassedAddress, PassedAddress]]:
        """Addresses that one call may pass for two parameters, with what the file sets its own pointers to."""
        for left, right in product(_ways(one), _ways(other)):
            if left.excludes(right):
                continue
            yield left.address, right.address
            for first, second in product(*(self._led_to(way.address) for way in (left, right))):
                if first.is_of_file and second.is_of_file:
                    yield first, second

    def _led_to(self, address: PassedAddress) -> list[PassedAddress]:
        """An address, and what it is where its base is a pointer that the file sets."""
        if not address.is_of_file:
            return [address]
        values = (value for _, value in self._set_to(address.base))
        return [address, *(replace(value, offset=_sum(value.offset, address.offset)) for value in values)]

    def _address(self, function: str, site: CallSite, name: str) -> PassedAddress | None:
        """What a call passes for a parameter, or a member of one; a name that is none is a variable of the file."""
        parameters = self._functions[function].parameters if function in self._functions else ()
        path = MemoryPath.of(name)
        if path.base not in parameters:
            return _itself(name)
        at = parameters.index(path.base)
        passed = site.addresses[at] if at < len(site.addresses) else None
        return passed if passed is None or not path.steps else passed.member(path)

    def _numbers(self, function: str, site: CallSite) -> tuple[tuple[str, Polynomial], ...]:
        pairs = zip(self._functions[function].parameters, site.arguments, strict=False)
        return tuple((name, value) for name, value in pairs if value is not None)


def _set_in(settings: Sequence[PointerSetting], holder: str, member: str) -> list[PointerSetting]:
    """What a member of one structure is set to in one function, and the member as it is."""
    name = f"{holder}{member}"
    own = PassedAddress(name, name, Polynomial(()), is_one_of_many=True, objects=frozenset())
    return [
        PointerSetting(name, own),
        *(replace(one, address=way.address) for one in settings if one.member == member for way in _ways(one.address)),
    ]


def _itself(variable: str) -> PassedAddress:
    """A variable of the file, or a member of one."""
    objects = frozenset((PassedObject(variable, is_variable=True),))
    return PassedAddress(variable, variable, Polynomial(()), is_one_of_many=False, objects=objects, is_of_file=True)


def _sum(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    return None if left is None or right is None else left + right


def _ways(address: PassedAddress) -> tuple[Way, ...]:
    return address.ways or (Way(frozenset(), address),)


def _is_in_variable(address: PassedAddress) -> bool:
    return len(address.objects) == 1 and all(found.is_variable for found in address.objects)


def _is_one_object(one: PassedAddress, other: PassedAddress) -> bool:
    """Whether both are counted from one address, or one leads into an object that the other may lead into too."""
    if one.base == other.base:
        return True
    are_plain = not (one.is_one_of_many or other.is_one_of_many)
    both = one.objects & other.objects
    return are_plain and len(both) == 1 and both in (one.objects, other.objects)


def _distance(one: PassedAddress, other: PassedAddress) -> Polynomial | None:
    if one.base != other.base or one.offset is None or other.offset is None:
        return None
    return other.offset - one.offset


def _variables(address: PassedAddress, parameters: Sequence[str]) -> list[str]:
    """Parameters of the caller, and variables of the file, that an address is in."""
    names = {found.name for found in address.objects if found.is_variable}
    return sorted(names | ({address.base} & set(parameters)))

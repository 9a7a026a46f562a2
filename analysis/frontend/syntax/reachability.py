"""What the nodes of a graph lead to, as bits, found once for each node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


class Reachability:
    """Transitive closure of `successors`, each node with the bits of its own that `alone` gives.

    Nodes that lead to each other reach the same. Answers are kept: neither function may change its mind.
    """

    def __init__(self, successors: Callable[[int], Sequence[int]], alone: Callable[[int], int]) -> None:
        self._successors = successors
        self._alone = alone
        self._reached: dict[int, int] = {}

    def of(self, nodes: Iterable[int]) -> int:
        """Bits of all nodes that some of these lead to, themselves among them."""
        bits = 0
        for node in nodes:
            if node not in self._reached:
                self._reach(node)
            bits |= self._reached[node]
        return bits

    def _reach(self, start: int) -> None:
        """Tarjan's strongly connected components, without recursion: declarations nest as deep as a file is long."""
        number: dict[int, int] = {}
        lowest: dict[int, int] = {}
        unfinished: list[int] = []
        successors: dict[int, Sequence[int]] = {}
        path: list[tuple[int, Iterator[int]]] = []
        following: int | None = start
        while True:
            if following is not None:
                number[following] = lowest[following] = len(number)
                unfinished.append(following)
                successors[following] = self._successors(following)
                path.append((following, iter(successors[following])))
            node, others = path[-1]
            following = None
            for other in others:
                if other in self._reached:
                    continue
                if other not in number:
                    following = other
                    break
                lowest[node] = min(lowest[node], number[other])
            if following is not None:
                continue
            path.pop()
            if lowest[node] == number[node]:
                first = unfinished.index(node)
                self._close(unfinished[first:], successors)
                del unfinished[first:]
            if not path:
                return
            caller = path[-1][0]
            lowest[caller] = min(lowest[caller], lowest[node])

    def _close(self, component: Sequence[int], successors: Mapping[int, Sequence[int]]) -> None:
        """Set what the members of a component reach, all they lead to being known."""
        bits = 0
        for node in component:
            bits |= self._alone(node)
            for other in successors[node]:
                bits |= self._reached.get(other, 0)
        self._reached.update(dict.fromkeys(component, bits))

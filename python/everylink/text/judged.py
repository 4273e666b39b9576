"""What a run is judged to be by itself: worked out once, for the terminal and every page of a report."""

from weakref import WeakKeyDictionary

from everylink.io.topology import grouping_of
from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement
from everylink.load.judge import judge_patterns
from everylink.model.results import Results

_KNOWN: WeakKeyDictionary[Results, Judgement] = WeakKeyDictionary()


def judgement_of(results: Results) -> Judgement:
    """Judged against nothing else, by the groups that the run itself knows or shows."""
    if results not in _KNOWN:
        judged = judge_patterns if results.loads else judge
        _KNOWN[results] = judged(results, grouping_of(results))
    return _KNOWN[results]

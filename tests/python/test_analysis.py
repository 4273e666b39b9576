"""Questions about a results file, with expected answers that the tests compute themselves."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everylink.io.read import read
from everylink.links.classes import LinkClass, histogram, summarise
from everylink.links.extremes import slowest, times_typical
from everylink.links.failed import fold_failures
from everylink.links.hosts import drawn_order
from everylink.links.shading import robust_scale, shade
from everylink.links.turns import turn_means
from everylink.model.results import Results
from everylink.model.rows import chosen
from make_results import Link, all_links, failed_row, make_results, row, steady

Make = Callable[..., Results]
TIMEOUT, BROKEN, CORRUPT, ABSENT, PRESUMED = 1, 2, 3, 4, 5


def hosts(count: int, ranks_each: int = 1) -> list[str]:
    return [f"n{h}" for h in range(count) for _ in range(ranks_each)]


def lines(results: Results) -> list[str]:
    return [str(group) for group in fold_failures(results, results.sizes[0]).groups]


def test_a_dark_host_is_a_single_line(made: Make) -> None:
    bad = {link: TIMEOUT for link in all_links(32) if 17 in link}
    results = made(hosts=hosts(32), outcomes=bad)
    assert lines(results) == ["host n17: 62 of 62 links timed out"]


def test_a_dark_rank_does_not_implicate_its_host(made: Make) -> None:
    bad = {link: TIMEOUT for link in all_links(12) if 5 in link}
    assert lines(made(hosts=hosts(3, 4), outcomes=bad)) == ["rank n1:5: 22 of 22 links timed out"]


def test_one_dark_direction_of_a_host_is_named_as_such(made: Make) -> None:
    bad = {link: BROKEN for link in all_links(8) if link[1] == 3}
    assert lines(made(hosts=hosts(8), outcomes=bad)) == ["to host n3: 7 of 7 links broke"]


def test_two_dark_hosts_and_a_single_bad_link_are_three_lines(made: Make) -> None:
    bad = {link: TIMEOUT for link in all_links(16) if 2 in link or 9 in link} | {(4, 5): CORRUPT}
    assert lines(made(hosts=hosts(16), outcomes=bad)) == [
        "host n2: 30 of 30 links timed out",
        "host n9: 30 of 30 links timed out",
        "link n4:4 -> n5:5: delivered wrong bytes",
    ]


def test_a_host_with_two_kinds_of_failures_counts_each(made: Make) -> None:
    bad = {link: TIMEOUT for link in all_links(8) if 2 in link} | {(2, 3): BROKEN}
    assert lines(made(hosts=hosts(8), outcomes=bad)) == ["host n2: 14 of 14 links failed (13 timed out, 1 broke)"]


def test_untried_links_count_in_the_line_of_their_host(made: Make) -> None:
    bad = {link: PRESUMED for link in all_links(32) if 17 in link} | {(17, i): TIMEOUT for i in range(14)}
    assert lines(made(hosts=hosts(32), outcomes=bad)) == [
        "host n17: 62 of 62 links failed (48 not tried, the rank is dark, 14 timed out)"
    ]


def test_a_dark_pair_is_one_line_whatever_the_number_of_ranks(made: Make) -> None:
    for count in (3, 4, 12):
        bad = {(1, 2): TIMEOUT, (2, 1): TIMEOUT}
        assert lines(made(hosts=hosts(count), outcomes=bad)) == ["pair n1:1 <-> n2:2: both links timed out"]


def test_a_pair_with_two_kinds_of_failures_names_both(made: Make) -> None:
    bad = {(1, 2): TIMEOUT, (2, 1): BROKEN}
    assert lines(made(hosts=hosts(4), outcomes=bad)) == ["pair n1:1 <-> n2:2: both links failed (1 timed out, 1 broke)"]


def test_two_hosts_that_do_not_reach_each_other_are_named_as_a_pair(made: Make) -> None:
    between = {link: TIMEOUT for link in all_links(8) if {link[0] // 4, link[1] // 4} == {0, 1}}
    assert lines(made(hosts=hosts(2, 4), outcomes=between)) == ["hosts n0 <-> n1: 32 of 32 links timed out"]
    one_way = {link: outcome for link, outcome in between.items() if link[0] < 4}
    assert lines(made(hosts=hosts(3, 4), outcomes=one_way)) == ["host n0 -> host n1: 16 of 16 links timed out"]


def test_hosts_with_the_same_name_are_distinguished(made: Make) -> None:
    bad = {link: TIMEOUT for link in all_links(6) if 4 in link}
    results = made(hosts=["n0", "n1", "n2", "n3", "n3", "n5"], host_index=range(6), outcomes=bad)
    assert lines(results) == ["host n3 (host 4): 10 of 10 links timed out"]


def test_failed_links_tried_alone_are_distinguished_from_untried_ones(made: Make) -> None:
    bad = {link: TIMEOUT for link in all_links(8) if 3 in link} | {(0, 1): BROKEN, (4, 5): CORRUPT, (6, 7): TIMEOUT}
    alone = [failed_row((3, i), TIMEOUT, attempt=2) for i in (0, 1, 2)]
    alone += [row((0, 1), 1e-6, attempt=2), row((1, 0), 1e-6, attempt=2), failed_row((4, 5), BROKEN, attempt=2)]
    results = made(hosts=hosts(8), outcomes=bad, extra=lambda size: alone, attributes={"failed_not_retried": 12})
    failures = fold_failures(results, results.sizes[0])
    assert failures.heading() == "17 of 56 links; 4 failed again alone, 1 ok alone, 12 not tried again"
    assert failures.lines() == [
        "host n3: 14 of 14 links timed out, 3 failed again alone, 11 not tried again",
        "link n4:4 -> n5:5: delivered wrong bytes, failed again alone",
        "link n6:6 -> n7:7: timed out, not tried again",
        "link n0:0 -> n1:1: broke under load, ok alone",
    ]
    assert failures.lines(2)[-1] == "and 2 more links"


def test_a_host_with_links_that_are_ok_alone_was_dark_only_under_load(made: Make) -> None:
    bad = {link: TIMEOUT for link in all_links(8) if 3 in link}
    alone = [row(link, 1e-6, attempt=2) for link in bad]
    results = made(hosts=hosts(8), outcomes=bad, extra=lambda size: alone)
    assert lines(results) == ["host n3: 14 of 14 links timed out under load, ok alone"]


def test_without_links_tried_alone_the_line_does_not_mention_them(made: Make) -> None:
    assert lines(made(hosts=hosts(4), outcomes={(0, 1): TIMEOUT})) == ["link n0:0 -> n1:1: timed out"]


@settings(max_examples=40)
@given(st.sets(st.sampled_from(all_links(6))))
@pytest.mark.long
def test_every_failed_link_is_in_a_line_or_counted_in_the_rest(
    tmp_path_factory: pytest.TempPathFactory, bad: set[Link]
) -> None:
    path = tmp_path_factory.mktemp("failed") / "x.h5"
    results = read(make_results(path, hosts=hosts(3, 2), outcomes=dict.fromkeys(bad, TIMEOUT)))
    failures = fold_failures(results, results.sizes[0])
    assert failures.failed == len(bad)
    assert sum(group.failed for group in failures.groups) + failures.left_out >= len(bad)
    assert len(failures.lines()) <= min(len(bad), 11)


@settings(max_examples=40)
@given(st.sets(st.sampled_from(all_links(6)), min_size=1), st.integers(1, 6))
@pytest.mark.long
def test_a_folded_map_shows_the_worst_links_of_the_full_map(
    tmp_path_factory: pytest.TempPathFactory, bad: set[Link], most: int
) -> None:
    path = tmp_path_factory.mktemp("folded") / "x.h5"
    results = read(make_results(path, hosts=["a", "b", "a", "c", "c", "c"], outcomes=dict.fromkeys(bad, TIMEOUT)))
    order = drawn_order(results.ranks)
    shading = shade(results, results.sizes[0], order, most)
    place = {int(rank): at // shading.fold for at, rank in enumerate(order.ranks)}
    hosts_of = {block: {results.ranks.host[r] for r in place if place[r] == block} for block in place.values()}
    for i in set(place.values()):
        for j in set(place.values()):
            links = [k for k in all_links(6) if (place[k[0]], place[k[1]]) == (i, j)]
            assert shading.failed[i, j] == any(link in bad for link in links)
            assert np.isfinite(shading.position[i, j]) == any(link not in bad for link in links)
            assert shading.same_host[i, j] == (len(hosts_of[i] | hosts_of[j]) == 1)


def test_slowest_links_come_with_their_retest(made: Make) -> None:
    def time(link: Link, size: int) -> float:
        return 1e-3 if link == (2, 0) else 1e-5 if link == (0, 3) else 5e-6

    results = made(time=time, extra=lambda size: [row((2, 0), 6e-6, attempt=1)])
    first, second, *_ = slowest(results, results.sizes[0], 5)
    assert (first.frm, first.to) == (2, 0)
    assert first.second == pytest.approx(6e-6)
    assert times_typical(results, results.sizes[0], [first]) == [pytest.approx(200)]
    assert (second.frm, second.to, second.second) == (0, 3, None)


def test_the_summary_separates_links_within_a_host(made: Make) -> None:
    results = made(time=lambda link, size: 1e-6 if link[0] // 2 == link[1] // 2 else 1e-5)
    other, same = summarise(results, results.sizes[0]).classes
    assert (other.link_class, other.links) == (LinkClass.OTHER_HOST, 8)
    assert (same.link_class, same.links) == (LinkClass.SAME_HOST, 4)
    assert other.time.median == pytest.approx(1e-5)
    assert same.time.max == pytest.approx(1e-6)


def test_the_means_of_turns_leave_out_failed_turns_and_remeasurements(made: Make) -> None:
    results = made(
        hosts=hosts(3), outcomes={(0, 2): 1}, time=lambda link, size: 1e-6 * (1 + link[1]),
        extra=lambda size: [row((0, 1), 9e-6, attempt=1), row((0, 1), 8e-6, mean=8e-6, step=7)], steps=8,
    )  # fmt: skip
    size = results.sizes[0]
    kept = (size.rows.attempt == 0) & (size.rows.outcome == 0)
    means = turn_means(size)
    assert means is not None
    assert (means.min, means.max) == (float(size.rows.mean[kept].min()), float(np.float32(8e-6)))
    assert means.mean == pytest.approx(size.rows.mean[kept].astype(float).mean())
    assert turn_means(replace(size, rows=chosen(size.rows, size.rows.attempt == 1))) is None


def test_a_run_in_which_all_links_failed_has_unknown_statistics(made: Make) -> None:
    results = made(outcomes=dict.fromkeys(all_links(4), TIMEOUT))
    size = results.sizes[0]
    assert np.isnan(summarise(results, size).classes[0].time.median)
    assert slowest(results, size) == ()
    assert histogram(results, size) is None
    assert shade(results, size, drawn_order(results.ranks), 4).scales == {}


def test_one_outlier_does_not_flatten_the_scale() -> None:
    times = np.append(np.linspace(1.0e-6, 1.5e-6, 55), 1.0)
    scale = robust_scale(times)
    assert scale is not None
    assert scale.high < 3.2e-6
    assert scale.max == 1.0
    places = scale.position(times)
    assert places[54] - places[0] > 0.3
    assert places[55] == 1.0


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=50))
def test_a_scale_has_a_width_and_lies_within_or_around_its_data(times: list[float]) -> None:
    scale = robust_scale(np.array(times))
    assert scale is not None
    assert 0 < scale.low < scale.high
    assert scale.low <= np.median(times) * (1 + 1e-9)
    assert np.median(times) <= scale.high * (1 + 1e-9)


def test_every_link_is_in_the_histogram_an_outlier_among_a_million_in_its_own_bin(made: Make) -> None:
    results = made(hosts=hosts(40), time=lambda link, size: 1e-2 if link == (7, 3) else steady(link, size))
    counted = histogram(results, results.sizes[0])
    assert counted is not None
    counts = counted.counts[LinkClass.OTHER_HOST]
    assert counts.sum() == 40 * 39
    assert counts[-1] == 1
    assert counts[-2] == 0


@given(st.lists(st.sampled_from([1e-6, 1.0000001e-6, 3e-3, 7.7]), min_size=2, max_size=2))
@settings(max_examples=20)
@pytest.mark.long
def test_bins_hold_equal_and_far_apart_times(tmp_path_factory: pytest.TempPathFactory, times: list[float]) -> None:
    path = tmp_path_factory.mktemp("bins") / "x.h5"
    results = read(make_results(path, hosts=hosts(2), time=lambda link, size: times[link[0]]))
    counted = histogram(results, results.sizes[0])
    assert counted is not None
    assert sum(int(c.sum()) for c in counted.counts.values()) == 2


def test_a_folded_matrix_shows_a_single_bad_pair(made: Make) -> None:
    results = made(hosts=hosts(50), time=lambda link, size: 1e-3 if link == (23, 41) else 1e-6, outcomes={(3, 4): 1})
    shading = shade(results, results.sizes[0], drawn_order(results.ranks), most=10)
    assert shading.fold == 5
    assert shading.position.shape == (10, 10)
    assert [tuple(map(int, at)) for at in np.argwhere(shading.position == 1)] == [(4, 8)]
    assert [tuple(map(int, at)) for at in np.argwhere(shading.failed)] == [(0, 0)]


def test_ranks_distributed_cyclically_are_drawn_host_by_host(made: Make) -> None:
    order = drawn_order(made(hosts=("a", "b", "a", "b")).ranks)
    assert order.ranks.tolist() == [0, 2, 1, 3]
    assert [(b.name, b.begin, b.end) for b in order.blocks] == [("a", 0, 2), ("b", 2, 4)]
    assert not order.natural

"""A matrix of comma-separated values becomes a results file, or gives one line that locates the error."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Command
from everylink.errors import UserMistake
from everylink.io.csv_matrix import Source, read_matrix, results_of
from everylink.io.read import read
from everylink.io.results_file import write_results
from everylink.model.plan import PHASES
from everylink.model.results import Results
from everylink.model.rows import ALONE, ATTEMPT_NAMES, MAIN, ONE_WAY, ORDER, QUARTER, Outcome, Rows

HEADER = "from,to,host_from,host_to,bytes,seconds"
PLAIN = f"{HEADER}\n0,1,a,b,8,1e-6\n1,0,b,a,8,2e-6\n"


def convert(text: str | bytes, folder: Path, kernel: str = "unidirectional") -> Results:
    """Write the text, convert it, and read the results file."""
    matrix, output = folder / "x.csv", folder / "x.h5"
    matrix.write_bytes(text if isinstance(text, bytes) else text.encode())
    source = Source(matrix, "2026-11-22T08:00:00Z", "everylink convert x.csv x.h5", kernel)
    write_results(results_of(read_matrix(matrix), source, output), force=True)
    return read(output)


def test_each_line_becomes_a_link(tmp_path: Path) -> None:
    results = convert(
        f"{HEADER},min,p99,max,mean,outcome,late,n,attempt\n"
        "0,1,a,b,8,2e-6,1e-6,3e-6,4e-6,2.5e-6,ok,7,100,0\n"
        "1,0,b,a,8,,,,,,timeout,,,0\n"
        "2,0,a,a,8,5e-7,,,,,,0,100,0\n"
        "1,0,b,a,8,3e-6,,,,,ok,1,50,2\n",
        tmp_path,
    )
    assert results.ranks.host == ("a", "b", "a")
    assert results.ranks.host_index.tolist() == [0, 1, 0]
    assert results.ranks.local_rank.tolist() == [0, 0, 1]
    assert (results.facts.ranks, results.facts.hosts, results.facts.messages) == (3, 2, 100)
    (size,) = results.sizes
    assert size.bytes == 8
    links = size.links
    assert list(zip(links.frm.tolist(), links.to.tolist(), strict=True)) == [(0, 1), (1, 0), (2, 0)]
    assert links.outcome.tolist() == [Outcome.OK, Outcome.TIMEOUT, Outcome.OK]
    np.testing.assert_array_equal(links.median, np.array([2e-6, np.nan, 5e-7], np.float32))
    np.testing.assert_array_equal(links.min, np.array([1e-6, np.nan, np.nan], np.float32))
    np.testing.assert_array_equal(links.mean, np.array([2.5e-6, np.nan, np.nan], np.float32))
    np.testing.assert_array_equal(links.p99, np.array([3e-6, np.nan, np.nan], np.float32))
    np.testing.assert_array_equal(links.max, np.array([4e-6, np.nan, np.nan], np.float32))
    assert (links.n.tolist(), links.late.tolist()) == ([100, 0, 100], [7, 0, 0])
    assert size.alone.median.tolist() == [np.float32(3e-6)]


def test_columns_may_have_any_order_and_case_and_a_byte_order_mark(tmp_path: Path) -> None:
    text = "\N{ZERO WIDTH NO-BREAK SPACE}Seconds, BYTES,host_to,host_from,to,from\r\n"
    text += "1e-6,8,b,a,1,0\r\n\r\n2e-6,8,a,b,0,1\r\n"
    links = convert(text, tmp_path).sizes[0].links
    assert links.median.tolist() == convert(PLAIN, tmp_path).sizes[0].links.median.tolist()


def test_several_sizes_hold_the_same_links_in_one_order(tmp_path: Path) -> None:
    results = convert(f"{PLAIN}1,0,b,a,1024,4e-6\n0,1,a,b,1024,3e-6\n", tmp_path)
    assert [size.bytes for size in results.sizes] == [8, 1024]
    assert results.sizes[1].links.median.tolist() == [np.float32(3e-6), np.float32(4e-6)]


def test_later_attempts_may_repeat_a_link_and_all_are_kept(tmp_path: Path) -> None:
    text = f"{HEADER},attempt,outcome\n0,1,a,b,8,1e-6,0,ok\n0,1,a,b,8,,2,timeout\n0,1,a,b,8,2e-6,2,ok\n"
    rows = convert(text, tmp_path).sizes[0].rows
    assert rows.outcome.tolist() == [Outcome.OK, Outcome.TIMEOUT, Outcome.OK]
    assert rows.step.tolist() == [0, 0, 1]


def test_true_steps_are_kept_and_attempts_have_names_or_numbers(tmp_path: Path) -> None:
    lines = ("2e-6,7,main", "1e-6,3,0", "3e-6,9,Order", "4e-6,20,one-way", "5e-6,11,quarter", "6e-6,12,6")
    results = convert("\n".join([f"{HEADER},step,attempt", *(f"0,1,a,b,8,{line}" for line in lines)]), tmp_path)
    rows = results.sizes[0].rows
    assert rows.attempt.tolist() == [MAIN, MAIN, ORDER, ONE_WAY, QUARTER, ALONE]
    assert rows.step.tolist() == [3, 7, 9, 20, 11, 12]
    assert len(results.steps.began) == 21
    assert [ATTEMPT_NAMES[phase.attempt] for phase in PHASES] == [phase.name for phase in PHASES]


@pytest.mark.parametrize("sizes", ["1048576", "8,1048576"])
@pytest.mark.one_in(2)
def test_a_file_written_and_read_again_has_the_same_steps_and_attempts(
    sizes: str, tmp_path: Path, everylink: Command
) -> None:
    more = ("--fault", "slow-host:n3*0.7", "--confirm", "--sizes", sizes, "-o", tmp_path / "a.h5")
    assert everylink("simulate", "--hosts", 16, *more)[0] == 0
    for source, made in (("a.h5", "b.csv"), ("b.csv", "b.h5")):
        code, _, err = everylink("convert", tmp_path / source, tmp_path / made)
        assert (code, err) == (0, "")
    for before, after in zip(read(tmp_path / "a.h5").sizes, read(tmp_path / "b.h5").sizes, strict=True):
        for name in ("frm", "to", "step", "attempt", "median", "mean", "outcome", "late", "n"):
            old, new = (getattr(rows, name)[_by_turn(rows)] for rows in (before.rows, after.rows))
            np.testing.assert_array_equal(old, new, name)


def _by_turn(rows: Rows) -> np.ndarray:
    return np.lexsort((rows.to, rows.frm, rows.step, rows.attempt))


@pytest.mark.parametrize("kernel", ["semidirectional", "bidirectional", "unidirectional"])
def test_the_kernel_is_the_one_given(tmp_path: Path, kernel: str, everylink: Command) -> None:
    (tmp_path / "x.csv").write_text(PLAIN)
    assert everylink("convert", tmp_path / "x.csv", tmp_path / "x.h5", "--kernel", kernel)[0] == 0
    assert read(tmp_path / "x.h5").facts.kernel == kernel


def test_a_conversion_is_summarised_and_can_be_shown(tmp_path: Path, everylink: Command) -> None:
    (tmp_path / "x.csv").write_text(PLAIN)
    code, out, err = everylink("convert", tmp_path / "x.csv", tmp_path / "x.h5")
    assert (code, out, err) == (0, f"{tmp_path / 'x.h5'}: 2 links of 2 ranks on 2 hosts, 1 size\n", "")
    code, out, _ = everylink("show", tmp_path / "x.h5")
    assert code == 0
    assert "mode unknown" in out
    assert "b:1 -> a:0  2.000 us" in out


def test_an_existing_file_is_kept_without_force(tmp_path: Path, everylink: Command) -> None:
    (tmp_path / "x.csv").write_text(PLAIN)
    (tmp_path / "x.h5").write_text("precious")
    code, out, err = everylink("convert", tmp_path / "x.csv", tmp_path / "x.h5")
    assert (code, out) == (2, "")
    assert "exists; --force overwrites it" in err
    assert (tmp_path / "x.h5").read_text() == "precious"
    assert everylink("convert", tmp_path / "x.csv", tmp_path / "x.h5", "--force")[0] == 0


BROKEN = [
    (b"", "is empty"),
    (b"\x89HDF\r\n\x1a\n rest", "is already .h5; there is nothing to convert"),
    (b"\xff\xfef\0r\0o\0m\0", "is not text in UTF-8"),
    (b"from\0to\n", "line 1: is not text"),
    (HEADER, "line 2: has no link: the file ends after its header"),
    (f"{HEADER}\n\n\n", "line 2: has no link"),
    ("0,1,a,b,8,1e-6\n", "line 1: column '0' is unknown; expected from,to,host_from"),
    (PLAIN.replace(",seconds", ""), "line 1: column seconds is missing"),
    (PLAIN.replace("seconds", "seconds,seconds"), "line 1: column seconds occurs twice"),
    (PLAIN.replace("seconds", "seconds,speed"), "line 1: column 'speed' is unknown"),
    (PLAIN.replace(",", ";"), "line 1: columns are separated by ';'; separate them by commas"),
    (PLAIN.replace(",", "\t"), "line 1: columns are separated by '\\t'; separate them by commas"),
    (f"{PLAIN}0,1,a\n", "line 4: has 3 values, but the header has 6"),
    (f"{PLAIN}0,1,a,b,8,1e-6,9\n", "line 4: has 7 values, but the header has 6"),
    (f'{PLAIN}0,1,"a,b,8,1e-6\n', "line 4: is damaged"),
    (f"{PLAIN}1.5,0,b,a,8,1e-6\n", "line 4: from is '1.5'; expected a whole number up to"),
    (f"{PLAIN}-1,0,b,a,8,1e-6\n", "line 4: from is '-1'; expected a whole number"),
    (f"{PLAIN}1e300,0,b,a,8,1e-6\n", "line 4: from is '1e300'; expected a whole number"),
    (f"{PLAIN}4294967296,0,b,a,8,1e-6\n", "line 4: from is '4294967296'; expected a whole number"),
    (f"{PLAIN}one,0,b,a,8,1e-6\n", "line 4: from is 'one'; expected a number"),
    (f"{PLAIN},0,b,a,8,1e-6\n", "line 4: from is ''; expected a number"),
    (f"{PLAIN}0,1,a,b,nan,1e-6\n", "line 4: bytes is 'nan'; expected a whole number"),
    (f"{PLAIN}2,2,c,c,8,1e-6\n", "line 4: links rank 2 with itself; leave such lines out"),
    (f"{PLAIN}0,2,a,c,8,-1e-6\n", "line 4: seconds is '-1e-6'; expected a time above 0 in seconds"),
    (f"{PLAIN}0,2,a,c,8,0\n", "line 4: seconds is '0'; expected a time above 0"),
    (f"{PLAIN}0,2,a,c,8,1e-60\n", "line 4: seconds is '1e-60'; expected a time above 0"),
    (f"{PLAIN}0,2,a,c,8,1e60\n", "line 4: seconds is '1e60'; expected a time above 0"),
    (f"{PLAIN}0,2,a,c,8,inf\n", "line 4: seconds is 'inf'; expected a time above 0"),
    (f"{PLAIN}0,2,a,c,8,\n", "line 4: seconds is ''; expected a time above 0"),
    (f"{PLAIN}0,2,a,c,8,5us\n", "line 4: seconds is '5us'; expected a number"),
    (f"{PLAIN}0,2,a,,8,1e-6\n", "line 4: '' is not a host name"),
    (f"{PLAIN}0,2,a,{'c' * 300},8,1e-6\n", "is not a host name"),
    (f"{PLAIN}0,2,a,c\x1b[31m,8,1e-6\n", "line 4: 'c\N{REPLACEMENT CHARACTER}[31m' is not a host name"),
    (f"{PLAIN}1,2,a,c,8,1e-6\n", "line 4: rank 1 is on host 'a', and on 'b' in line 3; a rank has one host"),
    (f"{PLAIN}1,9,b,c,8,1e-6\n", "line 4: has rank 9, but no line has rank 2; number the ranks 0, 1, 2, ..."),
    (f"{PLAIN}0,2000000000,a,c,8,1e-6\n", "line 4: has rank 2000000000, but no line has rank 2"),
    (
        f"{PLAIN}0,1,a,b,8,1e-6\n",
        "line 4: link 0 -> 1 with 8 bytes is also in line 2; give repeated measurements a step, or another attempt",
    ),
    (
        f"{HEADER},step,attempt\n0,1,a,b,8,1e-6,4,order\n0,1,a,b,8,1e-6,4,3\n",
        "line 3: link 0 -> 1 with 8 bytes is also in line 2; give repeated measurements another step",
    ),
    (f"{HEADER},step\n0,1,a,b,8,1e-6,1e9\n", "line 2: step is '1e9'; expected a whole number up to 16777215"),
    (f"{HEADER},step\n0,1,a,b,8,1e-6,\n", "line 2: step is ''; expected a number"),
    (f"{HEADER},attempt\n0,1,a,b,8,1e-6,\n", "line 2: attempt '' is unknown; use main, retest"),
    (f"{PLAIN}0,1,a,b,16,1e-6\n", "link 1 -> 0 has more lines with 8 bytes than with 16; add the missing lines"),
    (f"{HEADER},outcome\n0,1,a,b,8,1e-6,dead\n", "line 2: outcome 'dead' is unknown; use ok, timeout, broken"),
    (f"{HEADER},outcome\n0,1,a,b,8,-1,timeout\n", "line 2: seconds is '-1'"),
    (f"{HEADER},attempt\n0,1,a,b,8,1e-6,8\n", "line 2: attempt '8' is unknown; use main, retest"),
    (f"{HEADER},n\n0,1,a,b,8,1e-6,1e10\n", "line 2: n is '1e10'; expected a whole number up to"),
    (f"{HEADER},min\n0,1,a,b,8,1e-6,0\n", "line 2: min is '0'; expected a time above 0"),
    (HEADER + ",x" * 100_000, "line 1: column 'x' is unknown"),
    (f"{PLAIN}0,2,a,{'c' * 200_000},8,1e-6\n", "line 4: is damaged: field larger than field limit"),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN, ids=range(len(BROKEN)))
def test_an_error_is_one_line_with_its_position(
    text: str | bytes, expected: str, tmp_path: Path, everylink: Command
) -> None:
    (tmp_path / "x.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    code, out, err = everylink("convert", tmp_path / "x.csv", tmp_path / "x.h5")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err
    assert not (tmp_path / "x.h5").exists()


def test_a_path_that_is_not_a_file_is_refused(tmp_path: Path, everylink: Command) -> None:
    for given_path, expected in ((tmp_path / "no.csv", "no such file"), (tmp_path, "is a folder")):
        code, _, err = everylink("convert", given_path, tmp_path / "x.h5")
        assert code == 2
        assert expected in err


@given(st.binary(max_size=300) | st.text(alphabet=HEADER + '0123456789\n\r;"-', max_size=300).map(str.encode))
def test_any_invalid_input_gives_one_line(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    for text in (data, PLAIN.encode() + data):
        path = tmp_path_factory.mktemp("csv") / "x.csv"
        path.write_bytes(text)
        said = ""
        try:
            results_of(read_matrix(path), Source(path, "", "", "unidirectional"), path)
        except UserMistake as mistake:
            said = str(mistake)
        assert not said or said.startswith(f"{path}")
        assert "\n" not in said


@settings(max_examples=25)
@given(st.integers(2, 5), st.data())
@pytest.mark.long
def test_every_matrix_survives_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, ranks: int, data: st.DataObject
) -> None:
    every = [(i, j) for i in range(ranks) for j in range(ranks) if i != j]
    links = data.draw(st.permutations(every))
    time = st.floats(2**-30, 1e3, width=32)
    times = {link: data.draw(time) for link in links}
    lines = [f"{i},{j},h{i // 2},h{j // 2},64,{times[i, j]!r}" for i, j in links]
    results = convert("\n".join([HEADER, *lines]), tmp_path_factory.mktemp("csv"))
    found = results.sizes[0].links.matrix("median", ranks)
    assert {(i, j): float(found[i, j]) for i, j in every} == times
    assert results.ranks.host == tuple(f"h{i // 2}" for i in range(ranks))


@pytest.mark.long
def test_many_lines_are_read_in_portions(tmp_path: Path) -> None:
    ranks = 300  # more links than one portion has lines
    frm, to = np.nonzero(~np.eye(ranks, dtype=bool))
    lines = [f"{i},{j},n{i},n{j},8,{1e-6 * (1 + i)}" for i, j in zip(frm.tolist(), to.tolist(), strict=True)]
    links = convert("\n".join([HEADER, *lines]), tmp_path).sizes[0].links
    assert len(links) == ranks * (ranks - 1) > 65536
    np.testing.assert_allclose(links.median, 1e-6 * (1 + links.frm.astype(float)), rtol=1e-6)
    lines[70_000] += "x"
    with pytest.raises(UserMistake, match=r"line 70002: seconds is '.*x'; expected a number"):
        convert("\n".join([HEADER, *lines]), tmp_path)


def test_a_run_that_went_through_a_matrix_compares_with_itself(tmp_path: Path, everylink: Command) -> None:
    run, matrix, back = (tmp_path / name for name in ("run.h5", "run.csv", "back.h5"))
    everylink("simulate", "--hosts", 8, "-o", run)
    _, said, _ = everylink("convert", run, matrix)
    assert ".csv does not hold the kernel, semidirectional (--kernel semidirectional reads it back)" in said
    assert everylink("convert", matrix, back, "--kernel", "semidirectional")[0] == 0
    code, said, _ = everylink("compare", run, back)
    assert code == 0, said
    assert "--mode: simulate -> unknown" in said

"""An account file's lines: what is read, and what is refused with line, column and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.account_rows import AccountsRefused, read_lines

HEADER = "key,tenant,name,endpoint,secret_name,enabled\n"
GOOD = "a-1,acme,Acme 1,/acme/a-1,ACME,true\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "accounts.csv"


def refusal(file: Path, content: str | bytes) -> list[tuple[int, str, str]]:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(AccountsRefused) as caught:
        read_lines(file)
    return [(problem.line, problem.column, problem.text) for problem in caught.value.problems]


def test_lines_are_read_with_defaults_and_without_white_space(file: Path) -> None:
    file.write_text(
        "\ufeff enabled,key,tenant,endpoint,name,secret_name\r\nno, a-1 ,acme,/a,,\r\n\r\n,a-2,acme,https://x.example/a,Æ,X1\r\n",
        encoding="utf-8",
        newline="",
    )
    first, second = read_lines(file)
    assert (first.number, first.account.key, first.account.enabled, first.says_enabled) == (2, "a-1", False, True)
    assert (second.number, second.account.name, second.account.enabled, second.says_enabled) == (4, "Æ", True, False)


@pytest.mark.parametrize("word", ["TRUE", "yes", "1"])
def test_words_for_yes(file: Path, word: str) -> None:
    file.write_text(HEADER + GOOD.replace("true", word))
    assert read_lines(file)[0].account.enabled


def test_a_field_with_line_breaks_moves_the_numbers_of_later_lines(file: Path) -> None:
    content = (
        HEADER + 'a-1,acme,"two\nlines",/a,,\n' + 'a-2,acme,"three\r\nmore\nlines",nowhere,,\n' + "a-3,ACME,,/c,,\n"
    )
    assert [(line, column) for line, column, _ in refusal(file, content)] == [(4, "endpoint"), (7, "tenant")]


@pytest.mark.parametrize(
    ("row", "column", "complaint"),
    [
        (",acme,,/a,,", "key", "cannot be blank"),
        (f"{'k' * 201},acme,,/a,,", "key", "at most 200"),
        ("a,Acme Ltd,,/a,,", "tenant", "lower-case"),
        ("a,,,/a,,", "tenant", "cannot be blank"),
        ("a,acme,,,,", "endpoint", "cannot be blank"),
        ("a,acme,,ftp://x,,", "endpoint", "give a URL"),
        ("a,acme,,https://u:p@x.example,,", "endpoint", "secret_name"),
        ("a,acme,,/a,acme,", "secret_name", "capitals"),
        ("a,acme,,/a,,maybe", "enabled", "neither true nor false"),
        ("a,acme,n\x00,/a,,", "name", "NUL"),
        ("a,acme,,/a,", "", "5 fields, the header 6"),
        ("a,acme,Acme, Inc,/a,,", "", "7 fields, the header 6"),
    ],
)
def test_a_bad_row_is_refused_at_its_field(file: Path, row: str, column: str, complaint: str) -> None:
    ((line, found, text),) = refusal(file, HEADER + GOOD + row + "\n")
    assert (line, found) == (3, column)
    assert complaint in text


@pytest.mark.parametrize(
    ("content", "line", "column", "complaint"),
    [
        ("", 1, "", "empty"),
        ("\n \n", 1, "", "empty"),
        (HEADER, 1, "", "no account follows"),
        (HEADER.replace(",endpoint", "") + GOOD, 1, "endpoint", "missing"),
        (HEADER.replace("name", "label") + GOOD, 1, "label", "no such column"),
        (HEADER.replace("name,", "key,") + GOOD, 1, "key", "twice"),
        (HEADER + GOOD + 'a-2,acme,"open,/a,,\nmore', 3, "", "check its quotes"),
        (HEADER.encode() + GOOD.encode() + b"a-2,acme,M\xfcller,/a,,\n", 3, "", "not UTF-8"),
        ((HEADER + GOOD).encode("utf-16"), 1, "", "not UTF-8"),
    ],
)
def test_a_file_that_is_none_is_refused(
    file: Path, content: str | bytes, line: int, column: str, complaint: str
) -> None:
    found = refusal(file, content)
    assert any((place, name) == (line, column) and complaint in text for place, name, text in found), found


def test_a_key_that_stands_twice_is_refused_with_both_lines(file: Path) -> None:
    assert refusal(file, HEADER + GOOD + "b,acme,,/b,,\n" + GOOD) == [
        (4, "key", "'a-1' stands on line 2 already: remove one of the two")
    ]


def test_all_problems_are_told_at_once_but_only_fifty_shown(file: Path) -> None:
    file.write_text(HEADER + GOOD + "".join(f"k{number},acme,,nowhere,,\n" for number in range(70)))
    with pytest.raises(AccountsRefused) as caught:
        read_lines(file)
    lines = str(caught.value).splitlines()
    assert len(caught.value.problems) == 70
    assert lines[0].startswith(f"{file}:3: endpoint: 'nowhere'")
    assert lines[-2:] == ["... and 20 more", f"70 problems in {file}: nothing was applied"]
    assert len(lines) == 52

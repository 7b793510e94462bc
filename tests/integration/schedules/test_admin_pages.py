"""Every page of schedules, rules and slots answers, with few queries whatever the number of rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule
from pytest_django.fixtures import Settings

from schedules.models import ScheduleOptions, Slot
from tests.support.admin_pages import Page, add_url, get, list_url, row_url, sign_in
from tests.support.slot_rows import NOON, make_slots, make_slots_of_one

pytestmark = pytest.mark.django_db
TASK = "billing.close"


@pytest.fixture
def admin_client(client: Client, db: None) -> Client:
    return sign_in(client)


@pytest.fixture(autouse=True)
def known_task(settings: Settings) -> None:
    """A task of other code, which schedules may name."""
    settings.SLOTBEAT_EXTRA_TASKS = (TASK,)


def make_schedules(count: int) -> None:
    interval = IntervalSchedule.objects.create(every=2, period="seconds")
    crontab = CrontabSchedule.objects.create(minute="0", hour="6", timezone="Europe/Paris")
    rows = PeriodicTask.objects.bulk_create(
        PeriodicTask(
            name=f"schedule {number:05}",
            task=TASK,
            interval=interval if number % 2 else None,
            crontab=None if number % 2 else crontab,
        )
        for number in range(count)
    )
    ScheduleOptions.objects.bulk_create(ScheduleOptions(periodic_task=row) for row in rows[::3])
    for minute in range(3):
        make_slots([row.name for row in rows], NOON + timedelta(minutes=minute))


def make_clocked(count: int) -> None:
    ClockedSchedule.objects.bulk_create(
        ClockedSchedule(clocked_time=NOON + timedelta(hours=number)) for number in range(count)
    )


def make_rules(model: type[Any], numbers: range) -> None:
    model.objects.bulk_create(_rule(model, number) for number in numbers)


def _rule(model: type[Any], number: int) -> Any:
    if model is IntervalSchedule:
        return IntervalSchedule(every=number + 1, period="minutes")
    if model is SolarSchedule:
        return SolarSchedule(event="sunrise", latitude=number, longitude=number)
    return CrontabSchedule(minute=str(number % 60), timezone="Asia/Ho_Chi_Minh")


LISTS: list[tuple[Any, Callable[[int], None]]] = [
    (PeriodicTask, make_schedules),
    (Slot, make_slots_of_one),
    (ClockedSchedule, make_clocked),
    (IntervalSchedule, lambda count: make_rules(IntervalSchedule, range(count))),
    (CrontabSchedule, lambda count: make_rules(CrontabSchedule, range(count))),
    (SolarSchedule, lambda count: make_rules(SolarSchedule, range(count))),
]


@pytest.mark.parametrize(("model", "make"), LISTS, ids=[model.__name__ for model, _ in LISTS])
def test_a_list_costs_the_same_queries_at_5_and_at_50_rows(
    admin_client: Client, model: Any, make: Callable[[int], None]
) -> None:
    get(admin_client, list_url(model))
    make(5)
    few = get(admin_client, list_url(model))
    Slot.objects.all().delete()
    model.objects.all().delete()
    make(50)
    many = get(admin_client, list_url(model))

    assert many.queries == few.queries <= 10
    assert many.text.count("data-row") == 50


@pytest.mark.parametrize(("model", "make"), LISTS, ids=[model.__name__ for model, _ in LISTS])
def test_a_page_of_one_row_answers(admin_client: Client, model: Any, make: Callable[[int], None]) -> None:
    make(1)
    page = get(admin_client, row_url(model.objects.get()))
    assert page.queries <= 15


def test_schedule_pages_stay_small_beside_large_tables(admin_client: Client) -> None:
    make_clocked(5_000)
    make_schedules(300)
    row = PeriodicTask.objects.order_by("name")[0]

    pages: dict[str, Page] = {
        url: get(admin_client, url)
        for url in (
            list_url(PeriodicTask),
            add_url(PeriodicTask),
            row_url(row),
            list_url(ClockedSchedule),
            list_url(Slot),
        )
    }

    assert {url: page.size for url, page in pages.items() if page.size > 500_000} == {}
    assert {url: page.queries for url, page in pages.items() if page.queries > 15} == {}


def test_the_list_says_how_each_schedule_stands(admin_client: Client) -> None:
    make_schedules(2)
    PeriodicTask.objects.filter(name="schedule 00001").update(task="billing.closed")

    page = get(admin_client, list_url(PeriodicTask))

    assert "every 2 seconds" in page.text
    assert "at 06:00 every day (Europe/Paris)" in page.text
    assert "No worker knows the task &#x27;billing.closed&#x27;; did you mean &#x27;billing.close&#x27;?" in page.text
    assert page.text.count("2026-01-01 12:02:00") == 2
    assert "12:01:00" not in page.text


def test_filters_and_search_narrow_the_list(admin_client: Client) -> None:
    make_schedules(4)
    PeriodicTask.objects.filter(name="schedule 00001").update(enabled=False)

    def names(query: str) -> list[str]:
        text = get(admin_client, f"{list_url(PeriodicTask)}?{query}").text
        return [name for name in (f"schedule {number:05}" for number in range(4)) if name in text]

    assert names("kind=interval") == ["schedule 00001", "schedule 00003"]
    assert names("enabled__exact=0") == ["schedule 00001"]
    assert names("q=00002") == ["schedule 00002"]
    assert names("task=billing.close") == [f"schedule {number:05}" for number in range(4)]
    assert names("task=fan_out") == []


def test_a_schedule_that_no_calendar_holds_is_shown_not_an_error(admin_client: Client) -> None:
    interval = IntervalSchedule.objects.create(every=2_147_483_647, period="days")
    PeriodicTask.objects.bulk_create([PeriodicTask(name="for ever", task=TASK, interval=interval)])

    assert "is too long" in get(admin_client, list_url(PeriodicTask)).text
    assert "is too long" in get(admin_client, row_url(PeriodicTask.objects.get())).text


def test_the_page_of_a_schedule_shows_fire_times_in_both_zones_and_its_last_slots(admin_client: Client) -> None:
    make_schedules(1)
    make_slots(["schedule 00000"], NOON + timedelta(days=1))
    row = PeriodicTask.objects.get()

    page = get(admin_client, row_url(row))

    assert page.text.count(" 06:00:00 CE") == 5
    assert "2026-01-02 12:00:00" in page.text
    assert "0.012 s" in page.text
    assert row_url(Slot.objects.get(scheduled_for=NOON)) in page.text


@pytest.mark.parametrize(
    ("model", "term"),
    [
        (IntervalSchedule, "5 minutes"),
        (CrontabSchedule, "Ho_Chi"),
        (ClockedSchedule, "2026-01-01"),
        (SolarSchedule, "sunrise"),
    ],
)
def test_rules_are_found_while_typing(admin_client: Client, model: Any, term: str) -> None:
    dict(LISTS)[model](10)
    field = {IntervalSchedule: "interval", CrontabSchedule: "crontab", ClockedSchedule: "clocked"}.get(model, "solar")
    answer = admin_client.get(
        "/admin/autocomplete/",
        {"term": term, "app_label": "django_celery_beat", "model_name": "periodictask", "field_name": field},
    )
    assert answer.status_code == 200
    assert answer.json()["results"]


def test_anonymous_is_sent_to_the_login(client: Client) -> None:
    for model, _ in LISTS:
        answer = client.get(list_url(model))
        assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/admin/login/")


def test_the_permission_to_view_shows_without_offering_changes(client: Client) -> None:
    make_schedules(1)
    user = User.objects.create_user("viewer", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_periodictask", "view_slot"]))
    client.force_login(user)

    shown = get(client, list_url(PeriodicTask)).text
    row = get(client, row_url(PeriodicTask.objects.get())).text

    assert "enable_tasks" not in shown
    assert 'name="_save"' not in row
    assert list_url(Slot) in shown
    assert "/admin/workers/account/" not in shown

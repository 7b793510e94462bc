"""What could never run is refused at its field, and nothing is saved; what can is saved whole in one POST."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask
from pytest_django.fixtures import Settings

from schedules.models import ScheduleOptions
from tests.support.admin_pages import add_url, row_url, sign_in

pytestmark = pytest.mark.django_db
TASK = "billing.close"


@pytest.fixture
def admin_client(client: Client, db: None) -> Client:
    return sign_in(client)


@pytest.fixture(autouse=True)
def known_task(settings: Settings) -> None:
    """A task of other code, which schedules may name."""
    settings.SLOTBEAT_EXTRA_TASKS = (TASK,)


@pytest.fixture
def interval() -> IntervalSchedule:
    return IntervalSchedule.objects.create(every=5, period="minutes")


def form_of(**changes: Any) -> dict[str, Any]:
    return {
        "name": "five minutes",
        "task": TASK,
        "enabled": "on",
        "args": "[]",
        "kwargs": "{}",
        "headers": "{}",
        "slotbeat-TOTAL_FORMS": "1",
        "slotbeat-INITIAL_FORMS": "0",
        "slotbeat-0-catch_up": "all",
        "slotbeat-0-catchup_limit": "7",
        "slotbeat-0-overlap": "allow_all",
        "slotbeat-0-lease_seconds": "60",
        "slotbeat-0-catchup_pace_seconds": "0",
        "slotbeat-0-jitter_seconds": "0",
        **changes,
    }


def errors_of(answer: Any) -> dict[str, list[str]]:
    return {field: list(problems) for field, problems in answer.context["adminform"].form.errors.items()}


def test_a_schedule_and_its_options_are_created_in_one_post(admin_client: Client, interval: IntervalSchedule) -> None:
    answer = admin_client.post(add_url(PeriodicTask), form_of(interval=interval.pk, queue="accounts"))

    assert answer.status_code == 302
    options = ScheduleOptions.objects.select_related("periodic_task").get()
    assert (options.catch_up, options.catchup_limit, options.overlap, options.lease_seconds) == (
        "all",
        7,
        "allow_all",
        60,
    )
    assert (options.periodic_task.name, options.periodic_task.queue) == ("five minutes", "accounts")


def test_untouched_options_and_empty_json_are_the_defaults(admin_client: Client, interval: IntervalSchedule) -> None:
    untouched = form_of(interval=interval.pk, args="", kwargs="", headers="")
    defaults = ScheduleOptions()
    untouched |= {
        "slotbeat-0-catch_up": defaults.catch_up,
        "slotbeat-0-catchup_limit": defaults.catchup_limit,
        "slotbeat-0-overlap": defaults.overlap,
        "slotbeat-0-lease_seconds": defaults.lease_seconds,
    }

    assert admin_client.post(add_url(PeriodicTask), untouched).status_code == 302
    row = PeriodicTask.objects.get()
    assert (row.args, row.kwargs) == ("[]", "{}")
    assert admin_client.get(row_url(row)).status_code == 200


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("task", "billing.clos", "No worker knows the task 'billing.clos'; did you mean 'billing.close'?"),
        ("queue", "nowhere", "No worker reads the queue 'nowhere'"),
        ("args", "[1,", "args is not JSON"),
        ("args", "{}", "args must be a JSON array"),
        ("kwargs", "[]", "kwargs must be a JSON object"),
        ("kwargs", '{"a": NaN}', "NaN is not a JSON value"),
        ("headers", "7", "headers must be a JSON object"),
    ],
)
def test_a_wrong_field_is_refused_there(
    admin_client: Client, interval: IntervalSchedule, field: str, value: str, problem: str
) -> None:
    answer = admin_client.post(add_url(PeriodicTask), form_of(interval=interval.pk, **{field: value}))

    assert answer.status_code == 200
    errors = errors_of(answer)
    assert list(errors) == [field]
    assert problem in errors[field][0]
    assert not PeriodicTask.objects.exists()
    assert not ScheduleOptions.objects.exists()


def test_arguments_that_the_task_does_not_take_are_refused_at_the_field(
    admin_client: Client, interval: IntervalSchedule
) -> None:
    wrong = form_of(interval=interval.pk, task="fan_out", kwargs='{"volume": 11}')
    answer = admin_client.post(add_url(PeriodicTask), wrong)
    assert list(errors_of(answer)) == ["kwargs"]
    assert not PeriodicTask.objects.exists()


def test_a_rule_that_never_comes_is_refused_at_the_rule(admin_client: Client) -> None:
    (crontab,) = CrontabSchedule.objects.bulk_create(
        [CrontabSchedule(minute="0", hour="0", day_of_month="31", month_of_year="2")]
    )
    answer = admin_client.post(add_url(PeriodicTask), form_of(crontab=crontab.pk))
    assert "31 2 * (UTC)" in errors_of(answer)["crontab"][0]
    assert not PeriodicTask.objects.exists()


@pytest.mark.parametrize("rules", [{}, {"interval": True, "crontab": True}])
def test_exactly_one_rule_is_wanted(admin_client: Client, interval: IntervalSchedule, rules: dict[str, bool]) -> None:
    chosen = {"interval": interval.pk, "crontab": CrontabSchedule.objects.create().pk}
    answer = admin_client.post(add_url(PeriodicTask), form_of(**{kind: chosen[kind] for kind in rules}))
    assert answer.status_code == 200
    assert not PeriodicTask.objects.exists()


def test_two_kinds_of_expiry_are_refused_at_the_field(admin_client: Client, interval: IntervalSchedule) -> None:
    both = {"expires_0": "2036-01-01", "expires_1": "00:00:00", "expire_seconds": "5"}
    answer = admin_client.post(add_url(PeriodicTask), form_of(interval=interval.pk, **both))
    assert list(errors_of(answer)) == ["expire_seconds"]


def test_wrong_options_are_refused_and_the_schedule_with_them(admin_client: Client, interval: IntervalSchedule) -> None:
    answer = admin_client.post(
        add_url(PeriodicTask), form_of(interval=interval.pk, **{"slotbeat-0-lease_seconds": "1"})
    )
    assert answer.status_code == 200
    assert "lease_seconds" in answer.context["inline_admin_formsets"][0].formset.errors[0]
    assert not PeriodicTask.objects.exists()


def test_a_disabled_schedule_may_wait_half_made(admin_client: Client, interval: IntervalSchedule) -> None:
    draft = form_of(interval=interval.pk, task="jobs.not_written_yet")
    del draft["enabled"]
    assert admin_client.post(add_url(PeriodicTask), draft).status_code == 302
    assert not PeriodicTask.objects.get().enabled


def test_stored_options_that_cannot_be_are_mended_by_the_form(admin_client: Client, interval: IntervalSchedule) -> None:
    row = PeriodicTask.objects.create(name="five minutes", task=TASK, interval=interval)
    (options,) = ScheduleOptions.objects.bulk_create([ScheduleOptions(periodic_task=row, overlap="perhaps")])
    posted = form_of(
        interval=interval.pk,
        **{
            "slotbeat-INITIAL_FORMS": "1",
            "slotbeat-0-id": options.pk,
            "slotbeat-0-periodic_task": row.pk,
        },
    )

    assert admin_client.post(row_url(row), posted).status_code == 302
    assert ScheduleOptions.objects.get().overlap == "allow_all"


@pytest.mark.parametrize(
    ("changes", "field", "problem"),
    [
        ({"day_of_month": "31", "month_of_year": "2"}, "day_of_month", "* * 31 2 * (Europe/Paris) never comes"),
        ({"minute": "61"}, "minute", "61 is outside 0-59"),
        ({"hour": "5/2"}, "hour", "a step needs a range or a star before it"),
        ({"day_of_week": "funday"}, "day_of_week", "'funday' is not a number or a name"),
    ],
)
def test_a_crontab_is_refused_at_its_field(
    admin_client: Client, changes: dict[str, str], field: str, problem: str
) -> None:
    answer = admin_client.post(add_url(CrontabSchedule), crontab_form(**changes))
    assert answer.status_code == 200
    assert problem in errors_of(answer)[field][0]
    assert not CrontabSchedule.objects.exists()


def test_sunday_may_be_7(admin_client: Client) -> None:
    assert admin_client.post(add_url(CrontabSchedule), crontab_form(day_of_week="7")).status_code == 302
    assert CrontabSchedule.objects.get().day_of_week == "7"


@pytest.mark.parametrize(
    ("every", "period", "problem"),
    [("50", "microseconds", "is too short"), ("2147483647", "days", "is too long")],
)
def test_an_interval_is_refused_at_its_field(admin_client: Client, every: str, period: str, problem: str) -> None:
    answer = admin_client.post(add_url(IntervalSchedule), {"every": every, "period": period})
    assert problem in errors_of(answer)["every"][0]
    assert not IntervalSchedule.objects.exists()


def test_a_rule_in_use_cannot_be_deleted(admin_client: Client, interval: IntervalSchedule) -> None:
    PeriodicTask.objects.create(name="five minutes", task=TASK, interval=interval)
    assert admin_client.post(f"{row_url(interval)[:-7]}delete/", {"post": "yes"}).status_code == 403
    assert PeriodicTask.objects.exists()


def crontab_form(**changes: str) -> dict[str, str]:
    stars = dict.fromkeys(("minute", "hour", "day_of_month", "month_of_year", "day_of_week"), "*")
    return {**stars, "timezone": "Europe/Paris", **changes}

"""The pages of calendars: dates one a row, or pasted by the dozen; what is no date is refused with its line."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_celery_beat.models import PeriodicTask

from schedules.models import Calendar, CalendarDate
from tests.support.admin_pages import add_url, get, list_url, row_url, sign_in
from tests.support.schedules import schedule_row

pytestmark = pytest.mark.django_db

CHRISTMAS, NEW_YEAR = date(2036, 12, 25), date(2037, 1, 1)


@pytest.fixture
def holidays() -> Calendar:
    calendar = Calendar.objects.create(name="holidays")
    calendar.dates.create(date=CHRISTMAS, note="Christmas Day")
    return calendar


def _form(rows: list[dict[str, Any]], more_dates: str = "", **changes: Any) -> dict[str, Any]:
    initial = sum("id" in row for row in rows)
    fields = {f"dates-{number}-{name}": value for number, row in enumerate(rows) for name, value in row.items()}
    return {
        "name": "holidays",
        "more_dates": more_dates,
        "dates-TOTAL_FORMS": len(rows),
        "dates-INITIAL_FORMS": initial,
        **fields,
        **changes,
    }


def _stored() -> dict[date, str]:
    return dict(CalendarDate.objects.values_list("date", "note"))


def test_a_calendar_is_created_with_rows_and_pasted_dates(client: Client) -> None:
    pasted = "2037-01-01\r\n\r\n  2037-05-01 Labour  Day \n2037-05-02\tBridge\n2036-12-25 pasted too\n"
    form = _form([{"date": "2036-12-25", "note": "Christmas Day"}], pasted)
    assert sign_in(client).post(add_url(Calendar), form).status_code == 302
    assert _stored() == {
        CHRISTMAS: "Christmas Day",
        NEW_YEAR: "",
        date(2037, 5, 1): "Labour  Day",
        date(2037, 5, 2): "Bridge",
    }


def test_rows_are_edited_and_deleted(client: Client, holidays: Calendar) -> None:
    row = holidays.dates.get()
    kept = {"id": row.pk, "calendar": holidays.pk, "date": "2036-12-26", "note": "Boxing Day"}
    assert sign_in(client).post(row_url(holidays), _form([kept])).status_code == 302
    assert _stored() == {date(2036, 12, 26): "Boxing Day"}
    assert client.post(row_url(holidays), _form([{**kept, "DELETE": "on"}])).status_code == 302
    assert _stored() == {}


def test_what_is_no_date_is_refused_with_its_line_and_nothing_is_saved(client: Client, holidays: Calendar) -> None:
    form = _form([], "2037-01-01\n2037-02-30\n\ntomorrow\n" + "25.12.2037\n" * 5, name="renamed")
    answer = sign_in(client).post(row_url(holidays), form)
    (problem,) = answer.context["adminform"].form.errors["more_dates"]
    assert "line 2: '2037-02-30', line 4: 'tomorrow', line 5" in problem
    assert "and 2 more: write each as in 2026-12-25" in problem
    assert Calendar.objects.get().name == "holidays"
    assert _stored() == {CHRISTMAS: "Christmas Day"}


def test_the_same_date_twice_is_refused_in_rows(client: Client) -> None:
    answer = sign_in(client).post(add_url(Calendar), _form([{"date": "2037-01-01"}, {"date": "2037-01-01"}]))
    assert answer.status_code == 200
    assert not Calendar.objects.exists()


def test_a_name_stands_once(client: Client, holidays: Calendar) -> None:
    answer = sign_in(client).post(add_url(Calendar), _form([]))
    assert "already exists" in answer.context["adminform"].form.errors["name"][0]


def test_a_calendar_of_many_years_is_edited_a_page_at_a_time(client: Client, holidays: Calendar) -> None:
    days = [CHRISTMAS + timedelta(days=n) for n in range(1, 1200)]
    CalendarDate.objects.bulk_create(CalendarDate(calendar=holidays, date=day) for day in days)
    sign_in(client)
    page = get(client, f"{row_url(holidays)}?dates-page=2")
    assert page.size < 500_000
    assert page.queries <= 15
    on_page = list(holidays.dates.all()[50:100])
    rows = [{"id": day.pk, "calendar": holidays.pk, "date": day.date.isoformat(), "note": "mine"} for day in on_page]
    assert client.post(f"{row_url(holidays)}?dates-page=2", _form(rows, "2036-01-01")).status_code == 302
    assert CalendarDate.objects.count() == 1201
    assert CalendarDate.objects.filter(note="mine").count() == 50


def test_the_list_tells_dates_and_users_in_few_queries(client: Client, holidays: Calendar) -> None:
    for number in range(30):
        Calendar.objects.create(name=f"calendar {number}").dates.create(date=date(2020, 1, 1))
    schedule_row("a", options={"calendar": holidays})
    page = get(sign_in(client), list_url(Calendar))
    assert page.queries <= 10
    assert "2036-12-25" in page.text
    assert "1 schedule<" in page.text
    assert page.text.count("none to come") == 30
    assert list_url(Calendar) in get(client, "/admin/").text


def test_a_calendar_in_use_cannot_be_deleted(client: Client, holidays: Calendar) -> None:
    row = schedule_row("a", options={"calendar": holidays})
    delete = f"{row_url(holidays)[:-7]}delete/"
    assert sign_in(client).post(delete, {"post": "yes"}).status_code == 403
    row.delete()
    assert client.post(delete, {"post": "yes"}).status_code == 302
    assert not Calendar.objects.exists()


def test_a_calendar_is_found_while_typing_in_a_schedules_options(client: Client, holidays: Calendar) -> None:
    query = {"term": "holi", "app_label": "schedules", "model_name": "scheduleoptions", "field_name": "calendar"}
    answer = sign_in(client).get("/admin/autocomplete/", query)
    assert [found["text"] for found in answer.json()["results"]] == ["holidays"]


def test_the_permission_to_view_shows_without_offering_changes(client: Client, holidays: Calendar) -> None:
    user = User.objects.create_user("viewer", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_calendar", "view_calendardate"]))
    client.force_login(user)
    page = get(client, row_url(holidays)).text
    assert "Christmas Day" in page
    assert "more_dates" not in page


def test_the_list_of_schedules_reads_each_calendar_once(client: Client, holidays: Calendar) -> None:
    schedule_row("first", options={"calendar": holidays})
    few = get(sign_in(client), list_url(PeriodicTask))
    for number in range(20):
        schedule_row(f"{number}", options={"calendar": holidays})
    assert get(client, list_url(PeriodicTask)).queries == few.queries <= 10


def test_saving_a_rule_costs_the_same_queries_for_one_schedule_and_for_many(client: Client, holidays: Calendar) -> None:
    sign_in(client)

    def queries_to_save(seconds: int) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.post(row_url(rule), {"every": seconds, "period": "seconds"}).status_code == 302
        return len(queries)

    rule = schedule_row("first", options={"calendar": holidays}).interval
    few = queries_to_save(20)
    for number in range(20):
        schedule_row(f"{number}", interval=rule, options={"calendar": holidays})
    assert queries_to_save(30) <= few

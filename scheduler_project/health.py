"""Is the process up, and could it do its work? For pods, load balancers and people."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from redis import RedisError

from schedules.redis import client


def livez(_request: HttpRequest) -> JsonResponse:
    """The process answers; it asks nobody, so that a lost server does not restart every pod."""
    return JsonResponse({"live": True})


def readyz(_request: HttpRequest) -> JsonResponse:
    """PostgreSQL and Redis answer: 200 if both do, 503 with what does not."""
    answers = {"postgresql": _ask(_ask_postgresql), "redis": _ask(lambda: client().ping())}
    ready = all(answer == "ok" for answer in answers.values())
    return JsonResponse({"ready": ready, **answers}, status=200 if ready else 503)


def _ask(question: Callable[[], object]) -> str:
    try:
        question()
    except (Error, RedisError, ImproperlyConfigured) as error:
        return f"{type(error).__name__}: see the log of this process"
    return "ok"


def _ask_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")

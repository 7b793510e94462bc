"""Log lines: readable for people, JSON for machines; one shape for Django, Celery and our own events."""

from __future__ import annotations

from typing import Any

import structlog

_SHARED = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_config(*, level: str, as_json: bool) -> dict[str, Any]:
    """A dictConfig for the standard library's logging, rendered by structlog; `level` is a level's name."""
    renderer: Any = structlog.processors.JSONRenderer() if as_json else _for_people()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info if as_json else _keep,
                    renderer,
                ],
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "celery.worker.strategy": {"level": "WARNING"},
            # A run given back by a stopping worker is a warning of celery's, with a traceback; it is no trouble.
            "celery.app.trace": {"level": "ERROR"},
            "kombu": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
            "httpcore": {"level": "WARNING"},
            "django.server": {"level": "WARNING"},
        },
    }


def _for_people() -> structlog.dev.ConsoleRenderer:
    """Plain tracebacks: the default ones show local variables, and so secrets, and take a process a second each."""
    return structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)


def _keep(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    return event

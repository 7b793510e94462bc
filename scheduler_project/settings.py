"""Every setting of the project, read from the environment; `SLOTBEAT_` ones carry their unit in the name."""

from __future__ import annotations

import os
from typing import Any

import dj_database_url
from django.templatetags.static import static
from django.urls import reverse_lazy
from kombu import Exchange, Queue

from scheduler_project.embedded.address_book import read_addresses
from scheduler_project.environment import CHECKOUT, Environment, data_dir
from scheduler_project.logs import logging_config
from scheduler_project.navigation import sidebar

env = Environment(os.environ, read_addresses(data_dir()))

SECRET_KEY = env.secret("SECRET_KEY", "development only, replaced by SECRET_KEY in production")
DEBUG = env.switch("DEBUG", default=False)
ALLOWED_HOSTS = env.texts("ALLOWED_HOSTS", [] if env.production else ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.texts("CSRF_TRUSTED_ORIGINS", [])
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.switch("SECURE_COOKIES", default=env.production)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.switch("BEHIND_PROXY", default=False) else None

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_celery_beat",
    "schedules",
    "workers",
    "scheduler_project",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "scheduler_project.urls"
WSGI_APPLICATION = "scheduler_project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
LOGIN_REDIRECT_URL = "admin:index"
STATIC_URL = "static/"
# In development whitenoise reads the files where they lie; production gathers them first (collectstatic).
STATIC_ROOT = CHECKOUT / "staticfiles" if env.production else None
WHITENOISE_USE_FINDERS = not env.production
STORAGES = {
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if env.production
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

DATABASE_URL = env.address("DATABASE_URL", "postgresql://user:password@host:5432/slotbeat")
REDIS_URL = env.address("REDIS_URL", "redis://host:6379/0")
KAFKA_BOOTSTRAP_SERVERS = env.address("KAFKA_BOOTSTRAP_SERVERS", "host1:9092,host2:9092")

DATABASES: dict[str, Any] = {
    "default": {
        **dj_database_url.parse(DATABASE_URL or "postgresql://postgres@localhost/slotbeat"),
        "CONN_MAX_AGE": env.integer("DATABASE_CONN_MAX_AGE_SECONDS", 600),
        "CONN_HEALTH_CHECKS": True,
    }
}
# Ends a wait on a half-open connection; a lost server is noticed within half a minute.
DATABASES["default"].setdefault("OPTIONS", {}).update(
    {"connect_timeout": 5, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
USE_I18N = False
FORMAT_MODULE_PATH = "scheduler_project.formats"
LOGGING_CONFIG = None
LOGGING = logging_config(level=env.text("LOG_LEVEL", "INFO"), as_json=env.switch("LOG_JSON", default=env.production))

# --- Celery -----------------------------------------------------------------------------------------------------
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", REDIS_URL)
CELERY_BEAT_SCHEDULER = "schedules.beat:Scheduler"
CELERY_TIMEZONE = "UTC"
# JSON only: a message can be read by anybody and runs nothing by being read.
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# What became of a run stands in PostgreSQL; a second record in a result backend would cost a round trip a run.
CELERY_TASK_IGNORE_RESULT = True
# Acknowledge after the run: a killed worker's message comes back, and the lease makes a second delivery harmless.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# A run that ended in an error is recorded and acknowledged; its schedule's next slot is the next attempt.
CELERY_TASK_ACKS_ON_FAILURE_OR_TIMEOUT = True
# One message in hand for each process: what a stopping worker holds goes back, and no worker hoards.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "schedules"
# An exchange of its own for each: queues that share one would each get a copy of every message.
CELERY_TASK_QUEUES = [Queue(name, Exchange(name), routing_key=name) for name in ("schedules", "accounts")]
# A message to a queue that nobody reads is lost without a word: an unknown queue is an error instead.
CELERY_TASK_CREATE_MISSING_QUEUES = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Longer than the longest lease: a message is delivered again only when its run may be taken over.
    "visibility_timeout": env.integer("CELERY_VISIBILITY_TIMEOUT_SECONDS", 3600),
    # A broker that accepts a connection but does not answer must not hold a beat for ever.
    "socket_timeout": 5,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False

# --- Slotbeat (defaults stand in schedules/conf.py and workers/conf.py) ------------------------------------------
SLOTBEAT_REDIS_URL = REDIS_URL
SLOTBEAT_KAFKA_BOOTSTRAP_SERVERS = KAFKA_BOOTSTRAP_SERVERS
SLOTBEAT_FEED_BASE_URL = env.text("SLOTBEAT_FEED_BASE_URL", "")
SLOTBEAT_DRAIN_SECONDS = env.number("SLOTBEAT_DRAIN_SECONDS", 45)
SLOTBEAT_OUTBOX_SINK = env.text("SLOTBEAT_OUTBOX_SINK", "kafka")
SLOTBEAT_RUN_COMMANDS = env.texts("SLOTBEAT_RUN_COMMANDS", ["housekeeping"])

UNFOLD = {
    "SITE_TITLE": "Slotbeat",
    "SITE_HEADER": "Slotbeat",
    "SITE_URL": reverse_lazy("admin:index"),
    "SITE_SYMBOL": "calendar_clock",
    "SHOW_HISTORY": True,
    "STYLES": [lambda _request: static("slotbeat/admin.css")],
    "SIDEBAR": {"show_search": True, "navigation": sidebar()},
}

"""The pages of the web process."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from scheduler_project.health import livez, readyz
from scheduler_project.metrics import metrics

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("livez", livez),
    path("readyz", readyz),
    path("metrics", metrics),
]

"""Users and groups in the looks of the rest of the admin."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

admin.site.unregister([User, Group])


@admin.register(User)
class UnfoldUserAdmin(UserAdmin, ModelAdmin):  # type: ignore[type-arg,misc] # unfold brings no types
    """Who may sign in."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class UnfoldGroupAdmin(GroupAdmin, ModelAdmin):  # type: ignore[misc] # unfold brings no types
    """Who may do what."""

"""Errors as a message: what is wrong, where, and what to do; never a traceback, except among the details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialogButtonBox, QStyle, QWidget

from cutter_gui.gui.dialogs.message import Choice, Message

if TYPE_CHECKING:
    from cutter_gui.core.errors import CutterError


def _tr(text: str) -> str:
    return QCoreApplication.translate("Errors", text)


def sentence(text: str) -> str:
    """Returns a phrase as a sentence: capital, full stop."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def error_message(parent: QWidget | None, title: str, error: CutterError, choices: Sequence[Choice] = ()) -> Message:
    """Returns the message for an error, with what can be done about it from there; open it."""
    return Message(
        parent,
        title,
        sentence(error.what),
        where=error.where,
        remedy=sentence(error.remedy),
        details=getattr(error, "details", ""),
        icon=QStyle.StandardPixmap.SP_MessageBoxCritical,
        choices=(*choices, Choice(_tr("Close"), QDialogButtonBox.ButtonRole.RejectRole, default=not choices)),
    )


def defect_message(parent: QWidget | None, summary: str, traceback: str) -> Message:
    """Returns the message for an exception that no code foresaw."""
    return Message(
        parent,
        _tr("A defect in the program"),
        _tr("Something went wrong that should not: {}").format(summary),
        remedy=_tr("Your work is still here; save it. The details help to report the defect."),
        details=traceback,
        icon=QStyle.StandardPixmap.SP_MessageBoxCritical,
        choices=(Choice(_tr("Close"), QDialogButtonBox.ButtonRole.RejectRole, default=True),),
    )

"""Each fix that Problems lists, for each kind of error that a plan can have: one click, one step of undo."""

from __future__ import annotations

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.gui.panels.problems import ApplyFix

FIRST = Cut((CutEdge("10"), CutEdge("mask", ("20", "out"))))
SECOND = Cut((CutEdge("20"), CutEdge("mask", ("out",))))
PLANS = {
    "incomplete-cut": Plan((Cut((CutEdge("10"),)),)),
    "unknown-tensor": Plan((Cut((CutEdge("10x"), CutEdge("mask", ("20", "out")))),)),
    "unknown-consumer": Plan((Cut((CutEdge("10"), CutEdge("mask", ("20x", "out")))),)),
    "duplicate-edge": Plan((Cut((*FIRST.edges, CutEdge("10"))),)),
    "cuts-out-of-order": Plan((SECOND, FIRST)),
    "empty-stage": Plan((FIRST, Cut())),
    "backward-edge": Plan((FIRST, Cut((CutEdge("10a"), CutEdge("20"), CutEdge("mask", ("out",)))))),
}


def test_every_fix_is_one_click_and_one_step_of_undo(opened, hand) -> None:
    document, panel = opened.document, opened.workspace.problems
    opened.resize(1280, 1400)
    hand.settle()
    clicked: dict[str, int] = dict.fromkeys(PLANS, 0)
    for kind, plan in PLANS.items():
        document.undo_stack.clear()
        document.take_plan(plan, kind, 0)
        places = [
            (at, which)
            for at, found in enumerate(panel.shown)
            if found.code == kind
            for which in range(len(found.fixes))
        ]
        for at, which in places[:4]:
            fix = panel.shown[at].fixes[which]
            key = ("fix", at, kind, which)
            panel.list.scroll_to_key(key)
            hand.settle()
            hand.click_target(panel.list, ApplyFix(at, which))
            clicked[kind] += 1
            assert document.plan == fix.plan
            hand.press("Ctrl+Z")
            assert document.plan == plan, f"{fix.title} took more than one step"
            hand.press("Ctrl+Shift+Z")
            assert document.plan == fix.plan
            hand.press("Ctrl+Z")
    assert not [kind for kind, count in clicked.items() if not count], "each kind has a fix to click"


def test_a_fix_that_takes_the_active_cut_away_leaves_the_last_one_active(opened, hand) -> None:
    document, panel = opened.document, opened.workspace.problems
    document.take_plan(PLANS["empty-stage"], "begin", 1)
    at = [found.code for found in panel.shown].index("empty-stage")
    assert len(panel.shown[at].fixes[0].plan.cuts) == 1
    hand.click_target(panel.list, ApplyFix(at, 0))
    hand.settle()
    assert document.active_cut == 0
    hand.press("Ctrl+Z")
    assert document.active_cut == 1

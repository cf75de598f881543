"""The pieces of which the controls are made: buttons, fields, questions, refusals."""

from nicegui import run, ui

from ...pc.console.grammar import PATTERNS
from .connection import RefusedRequest


def folded(title, kind=""):
    """A card that can be folded up, and begins open."""
    with ui.element("details").classes(f"sr-card {kind}").props("open") as card, ui.element("summary"):
        ui.html(f"<h2>{title}</h2>", sanitize=False)
    return card


def complain(error):
    """Shows a refusal to the browser that asked."""
    ui.notify(str(error), type="negative", position="bottom", timeout=6000, multi_line=True)


def said(call, *arguments):
    """Calls ``call``, and shows a refusal; returns whether it was done."""
    try:
        call(*arguments)
    except RefusedRequest as error:
        complain(error)
        return False
    return True


async def said_later(call, *arguments):
    """The same for what may take a moment; shows what is returned, too."""
    try:
        told = await run.io_bound(call, *arguments)
    except RefusedRequest as error:
        complain(error)
        return
    if told:
        ui.notify(told, position="bottom")


async def agreed(state, question, *, loses="is overwritten", yes="Overwrite"):
    """Whether the user agrees to ``question``, given what the drive ``loses``; a simulated one needs no question."""
    if state.is_simulated:
        return True
    with ui.dialog() as dialog, ui.card().classes("sr-card"):
        ui.label(question).classes("text-base font-semibold")
        ui.label(f"What is there on {state.identity.get('model', 'the drive')} "
                 f"({state.identity.get('serial', 'no serial number')}) {loses}.")
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=lambda: dialog.submit(False)) \
                .props("flat data-testid=cancel")
            ui.button(yes, on_click=lambda: dialog.submit(True)) \
                .props(f"unelevated color=negative data-testid={yes.lower()}")
    asked = state.identity
    # The drive may have been exchanged meanwhile: the answer was about another one.
    return bool(await dialog) and state.identity == asked


def button(text, icon, handler, name, props="outline"):
    return ui.button(text, icon=icon, on_click=handler).props(
        f"{props} dense no-caps padding='4px 10px' data-testid={name}")


def field(label, value, name):
    return ui.input(label, value=str(value)).props(
        f"outlined dense data-testid={name} autocomplete=off").classes("w-full")


def extent_fields(name, lba, sectors):
    with ui.element("div").classes("sr-pair"):
        return (field("first sector (LBA)", lba, f"{name}-lba"),
                field("sectors" if sectors else "sectors (0: to the end)", sectors,
                      f"{name}-sectors"))


def pattern_field(name):
    return ui.select({PATTERNS[0]: "inc32, counts up", PATTERNS[1]: "dec32, its complement"},
                     value=PATTERNS[0], label="pattern") \
        .props(f"outlined dense data-testid={name}-pattern").classes("w-full")


def hint():
    return ui.label().classes("sr-hint")


def hint_text(text):
    ui.html(f"<p class='sr-hint'>{text}</p>", sanitize=False)

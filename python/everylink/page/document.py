"""Pages as self-contained documents: template, style and scripts from the assets, and data that the scripts read."""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray


def document(template: str, scripts: Sequence[str] = (), data: Mapping[str, Any] | None = None, **values: Any) -> str:
    """The text of a page, whose template gets `values`, and the data as JSON."""
    assets = files("everylink.page") / "assets"
    text, style, *code = (assets.joinpath(name).read_text("utf-8") for name in (template, "page.css", *scripts))
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(text)
    return page.render(style=Markup(style), script=Markup("\n".join(code)), data=Markup(json_of(data)), **values)


def json_of(value: Any) -> str:
    """JSON that nothing in it can end, where it stands in a script."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def base64_text(values: NDArray[Any]) -> str:
    """The bytes of an array."""
    return base64.b64encode(values.tobytes()).decode()


def packed(values: NDArray[Any]) -> str:
    """Deflated, without a header: what the browser's DecompressionStream calls deflate-raw."""
    pressed = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(pressed.compress(values.tobytes()) + pressed.flush()).decode()

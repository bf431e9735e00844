"""Pictures: one figure a file, drawn from arrays and labels with matplotlib.

Importing it loads matplotlib, whatever its settings: raises RoofError for a file of them that is no
text (R0002).
"""

import os
from contextlib import suppress
from pathlib import Path

from roofdsl import resources
from roofdsl.diagnostic import Diagnostic, RoofError

_PLACES = ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
_kept = [Path(os.environ[name]).is_absolute() for name in _PLACES if os.environ.get(name)]
if not all(_kept) or (resources.home() is None and not os.environ.get("MPLCONFIGDIR")):
    # It would make folders wherever one stands. Where it can make none, it has one while it runs.
    os.environ["MPLCONFIGDIR"] = str(Path(os.devnull) / "matplotlib")
_backend = os.environ.pop("MPLBACKEND", None)
try:
    import matplotlib as mpl
except (ValueError, OSError) as _error:
    _what = f"the settings of matplotlib cannot be read: {_error}"
    _hint = "mend or remove the file `matplotlibrc`, here, at home, or where MATPLOTLIBRC says"
    raise RoofError([Diagnostic("R0002", _what, hint=_hint)]) from None
finally:
    if _backend is not None:
        os.environ["MPLBACKEND"] = _backend
if _backend:
    with suppress(ValueError):  # of a name that is none: figures are drawn without one
        mpl.rcParams["backend"] = _backend

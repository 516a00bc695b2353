"""tide: translate with tide's models, see their alignments, and read their weights.

    import tide

    model = tide.load("models/demo")
    translation = model.translate("潮水退了，才知道谁没穿裤子。")
    print(translation.text)
    translation.alignment.weights    # α, [target pieces, source pieces]

A wrapper of libtide by ctypes. `weights` and the exceptions work without libtide. docs/python.md is an introduction."""

from __future__ import annotations

from ._arrays import Array
from ._errors import (
    BadArgument,
    BadFile,
    BadText,
    Cancelled,
    InternalError,
    LibraryError,
    OutOfMemory,
    TideError,
    TideWarning,
    TooLong,
    Unsupported,
)
from ._library import capabilities, version
from ._measures import AlignmentErrors, Measure, aer, bleu, chrf
from ._model import Model, ModelInfo, load
from ._results import Alignment, Explanation, Score, Translation
from ._sessions import Shortlist
from ._weights import Weights, weights

__version__ = "0.9.0"

__all__ = [
    *("load", "Model", "ModelInfo", "Translation", "Alignment", "Explanation", "Score", "Shortlist"),
    *("bleu", "chrf", "aer", "Measure", "AlignmentErrors"),
    *("weights", "Weights", "Array", "version", "capabilities"),
    *("TideError", "OutOfMemory", "BadArgument", "BadFile", "BadText", "TooLong", "Unsupported", "Cancelled"),
    *("InternalError", "LibraryError", "TideWarning"),
]

# Tracebacks and pickles name tide.BadFile, not the private file in which the class is.
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__

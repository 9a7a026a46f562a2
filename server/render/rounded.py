"""Round numbers of predictions, for what is shown of them; messages of rules use the same."""

from warplens.analysis.text.rounded import (
    about_time_text,
    compared_text,
    round_ratio,
    size_text,
    speed_text,
    times_text,
)

__all__ = ["about_time_text", "compared_text", "round_ratio", "size_text", "speed_text", "times_text"]

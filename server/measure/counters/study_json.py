"""A studied kernel as JSON (docs/counters.md)."""

from __future__ import annotations

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.time_model import Accuracy


def accuracy_json(found: Accuracy) -> dict[str, object]:
    """How well unseen runs were predicted."""
    return {"explained_variance": found.explained, "mape": found.mape, "runs": found.runs}


def study_json(kernel: StudiedKernel) -> dict[str, object]:
    """One object."""
    fit, model = kernel.fit, kernel.fit.model
    return {
        "kernel": fit.kernel,
        "gpu": kernel.gpu,
        "profile": kernel.profile,
        "runs": fit.runs,
        "is_noise": fit.noise.is_noise,
        "bottlenecks": [
            {
                "pattern": one.key,
                "title": one.title,
                "rule": one.rule,
                "finding": one.finding,
                "fix": one.fix,
                "evidence": list(one.evidence),
                "strength": one.strength,
                "weight": one.weight,
            }
            for one in kernel.bottlenecks
        ],
        "importance": [
            {
                "quantities": list(result.group.members),
                "increase": result.importance.increase,
                "error": result.importance.error,
                "rank": result.importance.rank,
                "rank_low": result.importance.rank_low,
                "rank_high": result.importance.rank_high,
                "above_chance": result.is_above_chance,
                "direction": result.curve.direction if result.curve else None,
                "direction_at_one_size": result.beside_size,
            }
            for result in fit.groups
        ],
        "components": [
            {
                "variance": float(fit.components.variance[c]),
                "with_time": float(fit.components.with_time[c]),
                "loadings": {name: float(fit.components.loadings[j, c]) for j, name in enumerate(fit.names)},
            }
            for c in range(len(fit.components.variance))
        ],
        "kept_counters": list(fit.kept),
        "out_of_bag_explained_variance": fit.quality.out_of_bag,
        "accuracy_of_held_runs": accuracy_json(fit.quality.test),
        "accuracy_between_sizes": accuracy_json(model.inside.accuracy) if model and model.inside else None,
        "accuracy_beyond_sizes": accuracy_json(model.beyond.accuracy) if model and model.beyond else None,
        "left_out": dict(fit.left_out),
        "remarks": list(fit.remarks),
    }

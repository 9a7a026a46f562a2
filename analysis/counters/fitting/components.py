"""What the counters measure together: principal components, rotated so that each is about few counters (sec. 4.1.2)."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA
from statsmodels.multivariate.factor_rotation import rotate_factors
from warplens.analysis.counters.kernel_fit import Components
from warplens.analysis.counters.predictors import Floats

KEPT_VARIANCE = 0.97


def components_of(values: Floats, response: Floats, kept: float = KEPT_VARIANCE) -> Components:
    """PCA of the standardised columns, as few components as hold `kept` of the variance, varimax rotation.

    Source: Madougou et al., sec. 4.1.2 and 5.2 (97 % kept for reduce1); Kaiser 1958 for the rotation.
    """
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    pca = PCA(svd_solver="full").fit(standard)
    count = int(np.searchsorted(np.cumsum(pca.explained_variance_ratio_), kept - 1e-12)) + 1
    spread = np.sqrt(pca.explained_variance_[:count] * (len(values) - 1) / len(values))
    loadings = pca.components_[:count].T * spread
    scores = pca.transform(standard)[:, :count] / spread
    if count > 1:
        loadings, rotation = rotate_factors(loadings, "varimax")
        scores = scores @ rotation
    variance = (loadings**2).sum(axis=0) / values.shape[1]
    order = np.argsort(-variance, kind="stable")
    loadings, scores = loadings[:, order], scores[:, order]
    sign = np.where(np.sign(loadings[np.abs(loadings).argmax(axis=0), np.arange(count)]) < 0, -1.0, 1.0)
    centred = response - response.mean()
    scale = max(float(np.sqrt((centred**2).sum() * len(response))), np.finfo(np.float64).tiny)
    return Components(loadings * sign, variance[order], centred @ (scores * sign) / scale)

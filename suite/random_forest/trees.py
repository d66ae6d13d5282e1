"""A fitted forest as plain arrays, and back: scikit-learn's own form is a pickle, and that is a program."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import NODE_DTYPE, Tree

from suite.spec import Arrays


def arrays_of(forest: RandomForestClassifier) -> Arrays:
    """The nodes of all trees one after another, [nodes] each; `values` are their classes' shares [nodes, classes]."""
    states = [one.tree_.__getstate__() for one in forest.estimators_]
    nodes = np.concatenate([state["nodes"] for state in states])
    return {
        "classes": forest.classes_,
        "features": np.asarray(forest.n_features_in_),
        "node_counts": np.array([state["node_count"] for state in states]),
        "depths": np.array([state["max_depth"] for state in states]),
        "values": np.concatenate([state["values"] for state in states])[:, 0],
        **{f"node/{name}": nodes[name] for name in nodes.dtype.names or ()},
    }


def restore(forest: RandomForestClassifier, arrays: Arrays) -> None:
    """Makes the forest the one that `arrays_of` was given."""
    classes, features = arrays["classes"], int(arrays["features"])
    fitted = {"n_outputs_": 1, "n_classes_": len(classes), "n_features_in_": features}
    forest.estimators_ = [_estimator(tree, fitted) for tree in _trees(arrays)]
    for name, value in {**fitted, "classes_": classes}.items():
        setattr(forest, name, value)


def _estimator(tree: Tree, fitted: dict[str, int]) -> DecisionTreeClassifier:
    """A tree of a forest knows its classes by number."""
    estimator = DecisionTreeClassifier()
    classes = np.arange(fitted["n_classes_"], dtype=float)
    for name, value in {**fitted, "classes_": classes, "tree_": tree}.items():
        setattr(estimator, name, value)
    return estimator


def _trees(arrays: Arrays) -> Iterator[Tree]:
    ends = arrays["node_counts"].cumsum()
    nodes = np.zeros(ends[-1], NODE_DTYPE)
    for name in NODE_DTYPE.names:
        nodes[name] = arrays[f"node/{name}"]
    classes = np.array([len(arrays["classes"])], np.intp)
    for count, depth, end in zip(arrays["node_counts"], arrays["depths"], ends, strict=True):
        tree, own = Tree(int(arrays["features"]), classes, 1), slice(end - count, end)
        values = np.ascontiguousarray(arrays["values"][own, np.newaxis])
        tree.__setstate__(
            {"max_depth": int(depth), "node_count": int(count), "nodes": nodes[own], "values": values}
        )
        yield tree
